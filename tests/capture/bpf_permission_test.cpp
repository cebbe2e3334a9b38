#include "capture/bpf_permission.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>

namespace rigel {
namespace {

using testing::HasSubstr;

HostFacts able_host() {
  return {
      .has_btf = true, .capabilities = ~std::uint64_t{0}, .lockdown = "none", .kernel = "6.1.0"};
}
constexpr std::uint64_t capability(int number) {
  return std::uint64_t{1} << number;
}

TEST(BpfPermissionTest, NothingStandsInTheWayOfRoot) {
  EXPECT_EQ(obstacle_to_capture(able_host()), "");
}

TEST(BpfPermissionTest, TwoCapabilitiesAreEnough) {
  HostFacts host = able_host();
  host.capabilities = capability(CAP_BPF) | capability(CAP_PERFMON);
  EXPECT_EQ(obstacle_to_capture(host), "");
  host.capabilities = capability(CAP_SYS_ADMIN);
  EXPECT_EQ(obstacle_to_capture(host), "");
}

TEST(BpfPermissionTest, TheMissingCapabilityIsNamedWithTheRemedy) {
  HostFacts host = able_host();
  host.capabilities = 0;
  EXPECT_THAT(obstacle_to_capture(host), HasSubstr("CAP_BPF and CAP_PERFMON missing"));
  EXPECT_THAT(obstacle_to_capture(host), HasSubstr("setcap"));
  host.capabilities = capability(CAP_BPF);
  EXPECT_THAT(obstacle_to_capture(host), HasSubstr("programs: CAP_PERFMON missing"));
}

TEST(BpfPermissionTest, AKernelWithoutBtfIsTold) {
  HostFacts host = able_host();
  host.has_btf = false;
  EXPECT_THAT(obstacle_to_capture(host), HasSubstr("CONFIG_DEBUG_INFO_BTF"));
}

TEST(BpfPermissionTest, AnOldKernelIsToldBeforeAnythingElse) {
  HostFacts host = able_host();
  host.has_btf = false;
  host.kernel = "5.10.0-28-amd64";
  EXPECT_THAT(obstacle_to_capture(host), HasSubstr("5.10.0-28-amd64 is too old"));
  host.kernel = "4.18.0-513.el8";
  EXPECT_THAT(obstacle_to_capture(host), HasSubstr("too old"));
  host = able_host();
  host.kernel = "5.14.0-362.el9";
  EXPECT_EQ(obstacle_to_capture(host), "");
}

TEST(BpfPermissionTest, OnlyTheStricterLockdownForbidsIt) {
  HostFacts host = able_host();
  host.lockdown = "integrity";
  EXPECT_EQ(obstacle_to_capture(host), "");
  host.lockdown = "confidentiality";
  EXPECT_THAT(obstacle_to_capture(host), HasSubstr("lockdown"));
}

}  // namespace
}  // namespace rigel
