// Every importer there is, one a file (a file may hold the versions of one format). The order in
// which they are asked is importer.cpp's.
#pragma once

#include "traces/importer.hpp"

namespace rigel::import {

extern const Importer kBlktrace;
extern const Importer kFioIolog1;
extern const Importer kFioIolog2;
extern const Importer kFioIolog3;
extern const Importer kMsr;
extern const Importer kRgt;
extern const Importer kVscsi1;
extern const Importer kVscsi2;

}  // namespace rigel::import
