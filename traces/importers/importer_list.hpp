// Every importer there is, one a file (a file may hold the versions of one format, or formats that
// differ in a line). The order in which they are asked is importer.cpp's.
#pragma once

#include "traces/importer.hpp"

namespace rigel::import {

extern const Importer kAlibaba;
extern const Importer kArc;
extern const Importer kBiosnoop;
extern const Importer kBlkparse;
extern const Importer kBlkreplay;
extern const Importer kBlktrace;
extern const Importer kCache2k;
extern const Importer kCsv;
extern const Importer kCydonia;
extern const Importer kDisksim;
extern const Importer kDisksimValidation;
extern const Importer kFioIolog1;
extern const Importer kFioIolog2;
extern const Importer kFioIolog3;
extern const Importer kJsonl;
extern const Importer kLirs;
extern const Importer kMqsim;
extern const Importer kMsr;
extern const Importer kOracleGeneral;
extern const Importer kRgt;
extern const Importer kSpc;
extern const Importer kTencent;
extern const Importer kTracepoints;
extern const Importer kVscsi1;
extern const Importer kVscsi2;

}  // namespace rigel::import
