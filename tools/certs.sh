# shellcheck shell=bash
# Sourced by dev: makes a test CA and certificates that name their holders
# (common/identity/identity.h). For production use a CA of your own, such as
# cert-manager's (k8s/).

certs_usage() {
  cat <<'TEXT'
./dev certs [FOLDER] [--trainer JOB]... [--days N]

Makes a test CA in FOLDER (certs), and certificates signed by it for N (30) days:
  ca.pem, ca.key              the CA; to sign more, keep ca.key
  sampler.pem, sampler.key    for servers: tributary serve
  operator.pem, operator.key  for tributary status, doctor and curl
  trainer-JOB.pem, .key       for the trainers of JOB (default); repeat --trainer
Only adds what FOLDER lacks. Programs take them by --tls-ca, --tls-cert and
--tls-key, or by TRIBUTARY_TLS_CA, TRIBUTARY_TLS_CERT and TRIBUTARY_TLS_KEY.
TEXT
}

# refuse_certs MESSAGE
refuse_certs() {
  echo "dev certs: $1" >&2
  exit 2
}

# openssl_quiet ARG...: prints what openssl says only if it fails.
openssl_quiet() {
  local said
  said=$(openssl "$@" 2>&1) || {
    printf '%s\n' "$said" >&2
    echo "dev certs: openssl $1 failed" >&2
    return 1
  }
}

# make_ca FOLDER. The key comes last into place: with it the CA is whole.
make_ca() {
  local folder=$1
  openssl_quiet req -x509 -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 \
    -nodes -keyout "$folder/ca.key.new" -out "$folder/ca.pem" -days 3650 \
    -subj "/CN=Tributary test CA" \
    -addext "basicConstraints=critical,CA:TRUE,pathlen:0" \
    -addext "keyUsage=critical,keyCertSign,cRLSign" || return
  chmod 644 "$folder/ca.pem"
  mv "$folder/ca.key.new" "$folder/ca.key"
}

# make_cert FOLDER DAYS FILE URI. The certificate comes last into place.
make_cert() {
  local folder=$1 days=$2 file=$1/$3 uri=$4 role names=URI:$4
  role=${uri#tributary://}
  role=${role%%/*}
  # For HTTP clients, which look for a host's name: they are told this one.
  [ "$role" != sampler ] || names+=,DNS:tributary-sampler
  openssl_quiet req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
    -keyout "$file.key" -out "$file.csr" -subj "/CN=Tributary ${role}" || return
  openssl_quiet x509 -req -in "$file.csr" -CA "$folder/ca.pem" \
    -CAkey "$folder/ca.key" -CAserial "$folder/ca.srl" -CAcreateserial \
    -days "$days" -out "$file.pem.new" -extfile /dev/stdin <<TEXT || return
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth, clientAuth
subjectAltName = $names
TEXT
  chmod 644 "$file.pem.new"
  mv "$file.pem.new" "$file.pem"
  rm -f "$file.csr"
}

# make_certs [FOLDER] [--trainer JOB]... [--days N]
make_certs() {
  local folder="" days=30 jobs=() job name
  while [ $# -gt 0 ]; do
    case $1 in
      --trainer | --days)
        [ $# -gt 1 ] || refuse_certs "$1 needs a value"
        if [ "$1" = --days ]; then days=$2; else jobs+=("$2"); fi
        shift
        ;;
      -h | --help)
        certs_usage
        return
        ;;
      -*) refuse_certs "unknown option $1; allowed: --trainer JOB, --days N" ;;
      *)
        [ -z "$folder" ] || refuse_certs "two folders: $folder and $1"
        folder=$1
        ;;
    esac
    shift
  done
  [ -n "$folder" ] || folder=certs
  [ "${#jobs[@]}" -gt 0 ] || jobs=(default)
  [[ $days =~ ^[1-9][0-9]{0,4}$ ]] ||
    refuse_certs "--days $days; allowed: 1 to 99999"
  for job in "${jobs[@]}"; do
    [[ $job =~ ^[A-Za-z0-9._~+@-]{1,200}$ ]] ||
      refuse_certs "--trainer $job; allowed: letters, digits and -._~+@, at most 200"
  done
  umask 077
  mkdir -p "$folder"
  if [ -e "$folder/ca.pem" ] && [ ! -e "$folder/ca.key" ]; then
    refuse_certs "$folder/ca.pem is there without ca.key: give another folder"
  fi
  # Its CA stays: certificates that it has signed go on being valid.
  [ -e "$folder/ca.key" ] || make_ca "$folder"
  for name in sampler operator "${jobs[@]/#/trainer-}"; do
    [ ! -e "$folder/$name.pem" ] || continue
    case $name in
      trainer-*) make_cert "$folder" "$days" "$name" \
        "tributary://trainer/${name#trainer-}" ;;
      *) make_cert "$folder" "$days" "$name" "tributary://$name/test" ;;
    esac
    echo "$folder/$name.pem"
  done
}
