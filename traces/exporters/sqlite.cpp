// A SQLite database, for questions in SQL: tables meta, devices, streams, losses and records, and a
// view io that joins them. What a record lacks is NULL. Holds everything.
#include <fmt/format.h>
#include <sqlite3.h>

#include "traces/byte_sink.hpp"
#include "traces/error.hpp"
#include "traces/exporters/exporter_list.hpp"

namespace rigel {
namespace {

constexpr const char* kSchema = R"sql(
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE devices(device INTEGER PRIMARY KEY, name TEXT, major INTEGER, minor INTEGER,
  size_bytes INTEGER, logical_block_bytes INTEGER, wwid TEXT, model TEXT, parent TEXT,
  start_bytes INTEGER);
CREATE TABLE streams(stream INTEGER PRIMARY KEY, comm TEXT, pid INTEGER, tid INTEGER, role TEXT,
  instance TEXT, cgroup TEXT);
CREATE TABLE losses(from_ns INTEGER, to_ns INTEGER, count INTEGER, cause TEXT);
CREATE TABLE warnings(warning TEXT);
CREATE TABLE records(queue_ns INTEGER, issue_ns INTEGER, complete_ns INTEGER, device INTEGER,
  offset_bytes INTEGER, length_bytes INTEGER, op TEXT, flags INTEGER, stream INTEGER, cpu INTEGER,
  status INTEGER);
CREATE VIEW io AS SELECT coalesce(queue_ns, issue_ns, complete_ns) AS start_ns, records.*,
  devices.name AS device_name, streams.comm, streams.pid, streams.role,
  complete_ns - coalesce(queue_ns, issue_ns) AS latency_ns
  FROM records LEFT JOIN devices USING (device) LEFT JOIN streams USING (stream);
BEGIN;
)sql";

class Statement {
 public:
  Statement(sqlite3* database, const char* sql) : database_{database} {
    if (sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr) != SQLITE_OK) {
      throw Error{sqlite3_errmsg(database)};
    }
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  Statement& null() { return sqlite3_bind_null(statement_, ++bound_), *this; }
  template <typename Integer>
  Statement& number(Integer value) {
    return sqlite3_bind_int64(statement_, ++bound_, static_cast<sqlite3_int64>(value)), *this;
  }
  // `text` must live until run().
  Statement& text(std::string_view text) {
    sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()),
                      SQLITE_STATIC);
    return *this;
  }
  void run() {
    bound_ = 0;
    const int result = sqlite3_step(statement_);
    sqlite3_reset(statement_);
    if (result != SQLITE_DONE) throw Error{sqlite3_errmsg(database_)};
  }

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

class SqliteSink final : public TraceSink {
 public:
  explicit SqliteSink(const std::string& path) : path_{path} {
    if (path == "-") throw UsageError{"SQLite needs a file, not standard output"};
    create_file(path)->close();  // an empty file is an empty database
    guarded([&] {
      if (sqlite3_open(path.c_str(), &database_) != SQLITE_OK) {
        throw Error{sqlite3_errmsg(database_)};
      }
      execute(kSchema);
      insert_ = std::make_unique<Statement>(database_,
                                            "INSERT INTO records VALUES(?,?,?,?,?,?,?,?,?,?,?)");
    });
  }
  SqliteSink(const SqliteSink&) = delete;
  SqliteSink& operator=(const SqliteSink&) = delete;
  ~SqliteSink() override {
    insert_.reset();
    sqlite3_close(database_);
  }

  void write(const RecordBatch& batch, const TraceTables&) override {
    guarded([&] {
      for (std::size_t row = 0; row < batch.size(); ++row) write_record(batch, row);
    });
  }
  void finish(const TraceTables& tables) override {
    guarded([&] {
      write_tables(tables);
      execute("COMMIT");
      insert_.reset();
      if (sqlite3_close(database_) != SQLITE_OK) throw Error{sqlite3_errmsg(database_)};
      database_ = nullptr;
    });
  }

 private:
  template <typename Work>
  void guarded(Work work) {
    try {
      work();
    } catch (const Error& error) {
      throw Error{fmt::format("{}: SQLite: {}", path_, error.what())};
    }
  }
  void execute(const char* sql) {
    if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
      throw Error{sqlite3_errmsg(database_)};
    }
  }

  void write_record(const RecordBatch& batch, std::size_t row) {
    const IoRecord record = batch.record(row);
    const auto number = [&](Column column, auto value, bool known = true) {
      if (batch.present.has(column) && known)
        insert_->number(value);
      else
        insert_->null();
    };
    number(Column::kQueue, record.queue_ns, record.queue_ns != kNoTime);
    number(Column::kIssue, record.issue_ns, record.issue_ns != kNoTime);
    number(Column::kComplete, record.complete_ns, record.complete_ns != kNoTime);
    number(Column::kDevice, record.device);
    number(Column::kOffset, record.offset_bytes);
    number(Column::kLength, record.length_bytes);
    if (batch.present.has(Column::kOp))
      insert_->text(op_name(record.op));
    else
      insert_->null();
    number(Column::kFlags, record.flags);
    number(Column::kStream, record.stream);
    number(Column::kCpu, record.cpu, record.cpu != kNoCpu);
    number(Column::kStatus, record.status);
    insert_->run();
  }

  void write_tables(const TraceTables& tables) {
    Statement meta{database_, "INSERT INTO meta VALUES(?,?)"};
    const TraceMeta& m = tables.meta;
    meta.text("source").text(m.source).run();
    meta.text("host").text(m.host).run();
    meta.text("kernel").text(m.kernel).run();
    meta.text("clock").text(m.clock).run();
    meta.text("start_wall_ns").number(m.start_wall_ns).run();
    // A key of the extras might be one of ours: theirs have a prefix.
    for (const auto& [key, value] : m.extra) {
      const std::string name = "extra." + key;
      meta.text(name).text(value).run();
    }
    Statement device{database_, "INSERT INTO devices VALUES(?,?,?,?,?,?,?,?,?,?)"};
    std::size_t index = 0;
    for (const DeviceInfo& d : tables.devices) {
      device.number(index++).text(d.name).number(d.major).number(d.minor).number(d.size_bytes);
      device.number(d.logical_block_bytes).text(d.wwid).text(d.model).text(d.parent);
      device.number(d.start_bytes).run();
    }
    Statement stream{database_, "INSERT INTO streams VALUES(?,?,?,?,?,?,?)"};
    index = 0;
    for (const StreamInfo& s : tables.streams) {
      stream.number(index++).text(s.comm).number(s.pid).number(s.tid).text(s.role);
      stream.text(s.instance).text(s.cgroup).run();
    }
    Statement loss{database_, "INSERT INTO losses VALUES(?,?,?,?)"};
    for (const Loss& l : tables.losses) {
      loss.number(l.from_ns).number(l.to_ns).number(l.count).text(l.cause).run();
    }
    Statement warning{database_, "INSERT INTO warnings VALUES(?)"};
    for (const std::string& w : tables.warnings) warning.text(w).run();
  }

  std::string path_;
  sqlite3* database_ = nullptr;
  std::unique_ptr<Statement> insert_;
};

}  // namespace

const Exporter exporting::kSqlite{
    "sqlite", ".sqlite", "SQLite database, for questions in SQL",
    [](const std::string& path, const ExportOptions&) -> std::unique_ptr<TraceSink> {
      return std::make_unique<SqliteSink>(path);
    }};

}  // namespace rigel
