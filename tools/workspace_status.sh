#!/usr/bin/env bash
# Prints values that no file of the checkout holds, for every build: Bazel runs
# it by itself (.bazelrc). Only //k8s/images reads them. Never fails.
export GIT_OPTIONAL_LOCKS=0  # beside other uses of git

# The commit; "-dirty" where files differ from it, and unknown outside of git.
revision() {
  local commit
  commit=$(git rev-parse --verify HEAD 2>/dev/null) || return 0
  if [ -n "$(git status --porcelain --untracked-files=no 2>/dev/null)" ]; then
    commit=$commit-dirty
  fi
  echo "STABLE_REVISION $commit"
}

# A digest of the versions of all Debian packages.
packages() {
  local versions
  versions=$(dpkg-query -W -f '${Package} ${Version} ${Architecture}\n' 2>/dev/null) ||
    return 0
  echo "STABLE_PACKAGES $(sha256sum <<<"$versions" | cut -d' ' -f1)"
}

revision
packages
exit 0
