#include "common/identity/testing/test_authority.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tributary {
namespace {

struct Free {
  void operator()(X509* cert) const { X509_free(cert); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(BIGNUM* number) const { BN_free(number); }
  void operator()(X509_EXTENSION* ext) const { X509_EXTENSION_free(ext); }
};
using Certificate = std::unique_ptr<X509, Free>;
using PrivateKey = std::unique_ptr<EVP_PKEY, Free>;

void Require(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "test authority: OpenSSL failed to %s\n", what);
  std::abort();
}

PrivateKey NewKey() {
  PrivateKey key(EVP_EC_gen("P-256"));
  Require(key != nullptr, "make a key");
  return key;
}

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<size_t>(size));
}

std::string PemOf(X509* cert) {
  const std::unique_ptr<BIO, Free> bio(BIO_new(BIO_s_mem()));
  Require(PEM_write_bio_X509(bio.get(), cert) == 1, "write a certificate");
  return TextOf(bio.get());
}

std::string PemOf(EVP_PKEY* key) {
  const std::unique_ptr<BIO, Free> bio(BIO_new(BIO_s_mem()));
  Require(PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr,
                                   nullptr) == 1,
          "write a key");
  return TextOf(bio.get());
}

void SetSerialNumber(X509* cert) {
  const std::unique_ptr<BIGNUM, Free> number(BN_new());
  Require(BN_rand(number.get(), 120, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1,
          "draw a serial number");
  BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(cert));
}

void AddExtension(X509* cert, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Free> extension(
      X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  Require(extension != nullptr, value.c_str());
  Require(X509_add_ext(cert, extension.get(), -1) == 1, "add an extension");
}

// Returns a certificate of `key` without extensions and signature.
Certificate NewCertificate(EVP_PKEY* key, const CertificateSpec& spec) {
  Certificate cert(X509_new());
  X509_set_version(cert.get(), 2);  // version 3
  SetSerialNumber(cert.get());
  ASN1_TIME_set(X509_getm_notBefore(cert.get()),
                absl::ToTimeT(spec.not_before));
  ASN1_TIME_set(X509_getm_notAfter(cert.get()), absl::ToTimeT(spec.not_after));
  X509_NAME_add_entry_by_txt(
      X509_get_subject_name(cert.get()), "CN", MBSTRING_UTF8,
      reinterpret_cast<const unsigned char*>(spec.common_name.data()),
      static_cast<int>(spec.common_name.size()), -1, 0);
  Require(X509_set_pubkey(cert.get(), key) == 1, "set the public key");
  return cert;
}

std::string AlternativeNames(const CertificateSpec& spec) {
  std::vector<std::string> names;
  for (const auto& uri : spec.uris) names.push_back(absl::StrCat("URI:", uri));
  for (const auto& dns : spec.dns_names) {
    names.push_back(absl::StrCat("DNS:", dns));
  }
  return absl::StrJoin(names, ",");
}

}  // namespace

struct TestAuthority::Key {
  PrivateKey key;
  Certificate cert;
};

TestAuthority::TestAuthority(const std::string& common_name)
    : key_(std::make_unique<Key>()) {
  CertificateSpec spec;
  spec.common_name = common_name;
  spec.not_after = absl::Now() + absl::Hours(24 * 365);
  key_->key = NewKey();
  key_->cert = NewCertificate(key_->key.get(), spec);
  X509* const cert = key_->cert.get();
  X509_set_issuer_name(cert, X509_get_subject_name(cert));
  AddExtension(cert, cert, NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(cert, cert, NID_key_usage, "critical,keyCertSign,cRLSign");
  AddExtension(cert, cert, NID_subject_key_identifier, "hash");
  Require(X509_sign(cert, key_->key.get(), EVP_sha256()) > 0, "sign");
  pem_ = PemOf(cert);
}

TestAuthority::~TestAuthority() = default;

PemPair TestAuthority::Issue(const CertificateSpec& spec) const {
  const PrivateKey key = NewKey();
  const Certificate cert = NewCertificate(key.get(), spec);
  X509* const issuer = key_->cert.get();
  X509_set_issuer_name(cert.get(), X509_get_subject_name(issuer));
  AddExtension(cert.get(), issuer, NID_basic_constraints, "critical,CA:FALSE");
  AddExtension(cert.get(), issuer, NID_key_usage, "critical,digitalSignature");
  AddExtension(cert.get(), issuer, NID_ext_key_usage, "serverAuth,clientAuth");
  AddExtension(cert.get(), issuer, NID_authority_key_identifier, "keyid");
  const std::string names = AlternativeNames(spec);
  if (!names.empty()) {
    AddExtension(cert.get(), issuer, NID_subject_alt_name, names);
  }
  Require(X509_sign(cert.get(), key_->key.get(), EVP_sha256()) > 0, "sign");
  return {PemOf(cert.get()), PemOf(key.get())};
}

}  // namespace tributary
