#include "cli/fetch/store_location.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(StoreLocationTest, BucketsFoldersAndUrls) {
  EXPECT_EQ(*ParseStoreLocation("s3://graphs"), (StoreLocation{"graphs", ""}));
  EXPECT_EQ(*ParseStoreLocation("s3://graphs//a/b/"),
            (StoreLocation{"graphs", "a/b"}));
  EXPECT_EQ(*ParseStoreLocation("file:///a/b"), (StoreLocation{"", "/a/b"}));
  EXPECT_EQ(*ParseStoreLocation("a/b/"), (StoreLocation{"", "a/b"}));
  EXPECT_EQ(ParseStoreLocation("s3://graphs/a")->ToString(), "s3://graphs/a");
  for (const char* text :
       {"", "s3://", "s3:///a", "s3:/graphs/a", "gs://graphs/a", "file://a",
        "s3://gra phs/a", "s3://user@graphs/a"}) {
    EXPECT_EQ(ParseStoreLocation(text).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
}

TEST(StoreLocationTest, Endpoints) {
  EXPECT_EQ(*ParseStoreEndpoint("http://minio:9000/"),
            (StoreEndpoint{"http", "minio:9000"}));
  EXPECT_EQ(*ParseStoreEndpoint("https://storage.example"),
            (StoreEndpoint{"https", "storage.example"}));
  EXPECT_EQ(*ParseStoreEndpoint("minio:9000"),
            (StoreEndpoint{"https", "minio:9000"}));
  for (const char* text :
       {"", "http://", "ftp://a/b", "http://a/b", "http://user@a"}) {
    EXPECT_EQ(ParseStoreEndpoint(text).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
}

}  // namespace
}  // namespace tributary
