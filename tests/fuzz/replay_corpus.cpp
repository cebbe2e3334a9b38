// Runs a harness over the files it is given, and over cheap mutations of them, where libFuzzer is
// not at hand. The mutations are the same in every run.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr int kMutationsPerFile = 500;

std::string mutated(std::string bytes, std::mt19937& random) {
  const auto place = [&] { return bytes.empty() ? 0 : random() % bytes.size(); };
  const std::size_t edits = 1 + random() % 4;
  for (std::size_t i = 0; i < edits && !bytes.empty(); ++i) {
    switch (random() % 4) {
      case 0:
        bytes[place()] = static_cast<char>(random());
        break;
      case 1:
        bytes.resize(place());
        break;
      case 2:
        bytes.erase(place(), random() % 64);
        break;
      default:
        bytes.insert(place(), bytes.substr(place(), random() % 64));
        break;
    }
  }
  return bytes;
}

void run(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::mt19937 random{1};
  std::size_t files = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator{argv[i]}) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file{entry.path(), std::ios::binary};
      const std::string bytes{std::istreambuf_iterator<char>{file}, {}};
      run(bytes);
      for (int k = 0; k < kMutationsPerFile; ++k) run(mutated(bytes, random));
      ++files;
    }
  }
  std::printf("%zu files, each as it is and in %d mutations\n", files, kMutationsPerFile);
  return files == 0 ? 1 : 0;
}
