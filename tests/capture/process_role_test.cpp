#include "capture/process_role.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/scratch_folder.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

struct Case {
  const char* name;
  const char* role;
  const char* instance;
};

// Process names as ps shows them on Oracle hosts; roles by the Oracle Database Reference's appendix
// "Background Processes".
constexpr Case kOracle[] = {
    {"ora_lgwr_ORCL1", "lgwr", "ORCL1"},
    {"ora_lg00_ORCL1", "lgwr", "ORCL1"},
    {"ora_dbw0_PROD", "dbwr", "PROD"},
    {"ora_dbwz_PROD", "dbwr", "PROD"},
    {"ora_bw36_PROD", "dbwr", "PROD"},
    {"ora_ckpt_PROD", "ckpt", "PROD"},
    {"ora_arc0_PROD", "arch", "PROD"},
    {"ora_arcb_PROD", "arch", "PROD"},
    {"ora_pmon_PROD", "pmon", "PROD"},
    {"ora_psp0_PROD", "psp", "PROD"},
    {"ora_ping_PROD", "ping", "PROD"},
    {"ora_pr00_PROD", "recovery", "PROD"},
    {"ora_mrp0_PROD", "recovery", "PROD"},
    {"ora_p000_PROD", "parallel", "PROD"},
    {"ora_p0a3_PROD", "parallel", "PROD"},
    {"ora_ppa7_PROD", "parallel", "PROD"},
    {"ora_smon_PROD", "smon", "PROD"},
    {"ora_mmon_PROD", "mmon", "PROD"},
    {"ora_ctwr_PROD", "ctwr", "PROD"},
    {"ora_rvwr_PROD", "rvwr", "PROD"},
    {"ora_lms0_PROD1", "rac", "PROD1"},
    {"ora_lmon_PROD1", "rac", "PROD1"},
    {"ora_lck0_PROD1", "rac", "PROD1"},
    {"ora_reco_PROD", "reco", "PROD"},
    {"ora_i101_PROD", "io-slave", "PROD"},
    {"ora_w000_PROD", "space", "PROD"},
    {"asm_dbw0_+ASM1", "asm", "+ASM1"},
    {"oracle_12345_PROD", "foreground", "PROD"},
    {"oraclePROD (LOCAL=NO)", "foreground", "PROD"},
    {"oraclePROD", "foreground", "PROD"},
    {"ora_zzzz_PROD", "background", "PROD"},
};

constexpr Case kOthers[] = {
    {"postgres: checkpointer", "checkpointer", ""},
    {"postgres: 15/main: checkpointer ", "checkpointer", "15/main"},
    {"postgres: 15/main: background writer ", "bgwriter", "15/main"},
    {"postgres: 15/main: walwriter ", "walwriter", "15/main"},
    {"postgres: 15/main: autovacuum worker bench", "autovacuum", "15/main"},
    {"postgres: 15/main: parallel worker for PID 77 ", "parallel", "15/main"},
    {"postgres: 15/main: alice bench [local] UPDATE", "foreground", "15/main"},
    {"postgres: alice bench [local] SELECT", "foreground", ""},
    {"/usr/lib/postgresql/15/bin/postgres", "postmaster", ""},
    {"/usr/sbin/mysqld", "mysqld", ""},
    {"ib_log_flush", "lgwr", ""},
    {"ib_pg_flush-1", "dbwr", ""},
    {"fio", "", ""},
    {"oracled", "foreground", "d"},
    {"", "", ""},
};

TEST(ProcessRoleTest, OraclesProcessesAreKnownByName) {
  const ProcessRoles roles;
  for (const Case& one : kOracle) {
    const ProcessRole role = roles.role_of({"", one.name, true});
    EXPECT_EQ(role.role, one.role) << one.name;
    EXPECT_EQ(role.instance, one.instance) << one.name;
  }
}

TEST(ProcessRoleTest, OtherDatabasesToo) {
  const ProcessRoles roles;
  for (const Case& one : kOthers) {
    const ProcessRole role = roles.role_of({"", one.name, true});
    EXPECT_EQ(role.role, one.role) << one.name;
    EXPECT_EQ(role.instance, one.instance) << one.name;
  }
}

TEST(ProcessRoleTest, TheTitleGivesBackWhatTheKernelCutOff) {
  const ProcessRole role = ProcessRoles{}.role_of({"ora_lgwr_WAREHO", "ora_lgwr_WAREHOUSE2", true});
  EXPECT_EQ(role.role, "lgwr");
  EXPECT_EQ(role.instance, "WAREHOUSE2");
}

TEST(ProcessRoleTest, AProcessThatIsGoneIsKnownByTheKernelsName) {
  const ProcessRole role = ProcessRoles{}.role_of({"oracle_12345_PR", "", true});
  EXPECT_EQ(role.role, "foreground");
  EXPECT_EQ(role.instance, "PR");
}

TEST(ProcessRoleTest, AThreadSaysItselfWhatItIs) {
  const ProcessRole role = ProcessRoles{}.role_of({"ora_lgwr_CDB1", "ora_u005_CDB1", false});
  EXPECT_EQ(role.role, "lgwr");
  EXPECT_EQ(role.instance, "CDB1");
}

TEST(ProcessRoleTest, RulesOfAFileComeFirst) {
  const ScratchFolder folder;
  const std::string path = folder.file("roles.conf");
  std::ofstream{path} << "# mine\n\nbatch  job_(.*)\nwriter ora_lgwr_.*\n";
  const ProcessRoles roles{path};
  EXPECT_EQ(roles.role_of({"job_night", "", true}).role, "batch");
  EXPECT_EQ(roles.role_of({"job_night", "", true}).instance, "night");
  EXPECT_EQ(roles.role_of({"ora_lgwr_X", "", true}).role, "writer");
  EXPECT_EQ(roles.role_of({"ora_ckpt_X", "", true}).role, "ckpt");
}

TEST(ProcessRoleTest, ABadRuleIsToldByFileAndLine) {
  const ScratchFolder folder;
  const std::string path = folder.file("bad-roles.conf");
  for (const char* text : {"good .*\nbad (\n", "good .*\nbad\n"}) {
    std::ofstream{path} << text;
    try {
      const ProcessRoles roles{path};
      FAIL() << "accepted: " << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string{error.what()}.find(path + ": line 2"), std::string::npos)
          << error.what();
    }
  }
  EXPECT_THROW(ProcessRoles{"/no/such/file"}, Error);
}

}  // namespace
}  // namespace rigel
