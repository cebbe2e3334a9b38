// Every exporter there is, one a file.
#pragma once

#include "traces/exporter.hpp"

namespace rigel::exporting {

extern const Exporter kBlkparse;
extern const Exporter kCsv;
extern const Exporter kFioIolog3;
extern const Exporter kJsonl;
extern const Exporter kOracleGeneral;
extern const Exporter kSqlite;

}  // namespace rigel::exporting
