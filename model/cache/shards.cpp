#include "model/cache/shards.hpp"

namespace rigel {

namespace {
constexpr std::size_t kLiveBlock = 256;

// Without the mark of a request's end: the sample holds no whole requests.
PageAccess alone(PageAccess access) {
  return {access.bytes(), access.write(), false};
}
}  // namespace

ShardsSampler::ShardsSampler(const ShardsOptions& options)
    : seed_{(options.seed + 1) * 0x9e3779b97f4a7c15U},
      threshold_{options.rate < 1 ? static_cast<std::uint64_t>(options.rate * 0x1p64)
                                  : ~std::uint64_t{0}},
      rate_{options.rate},
      max_pages_{options.max_pages} {}

void ShardsSampler::add(const PageBlock& block) {
  add_sample();
  sample_.counted = block.counted;
  std::uint64_t writes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t write_bytes = 0;
  const std::uint64_t seed = seed_;
  const std::uint64_t threshold = threshold_;
  const std::uint64_t* const pages = block.pages.data();
  const PageAccess* const accesses = block.accesses.data();
  const std::size_t count = block.size();
  for (std::size_t i = 0; i < count; ++i) {
    const PageAccess access = accesses[i];
    const std::uint64_t write = access.write() ? 1 : 0;
    writes += write;
    bytes += access.bytes();
    write_bytes += access.bytes() & (0 - write);
    if (hash(pages[i], seed) >= threshold) [[likely]]
      continue;
    sample_.pages.push_back(pages[i]);
    sample_.accesses.push_back(alone(access));
  }
  if (block.counted) {
    total_.pages[0] += static_cast<double>(block.size() - writes);
    total_.pages[1] += static_cast<double>(writes);
    total_.bytes[0] += static_cast<double>(bytes - write_bytes);
    total_.bytes[1] += static_cast<double>(write_bytes);
  }
  add_sample();
}

void ShardsSampler::finish(const GoOn& go_on) {
  add_sample();
  for (BlockConsumer* consumer : attached_) consumer->finish(go_on);
}

void ShardsSampler::take_live(std::uint64_t key, PageAccess access) {
  sample_.counted = true;
  sample_.pages.push_back(key);
  sample_.accesses.push_back(alone(access));
  if (sample_.size() == kLiveBlock) add_sample();
}

void ShardsSampler::add_sample() {
  if (sample_.size() == 0) return;
  index_.number(sample_);
  lru_.add(sample_);
  for (BlockConsumer* consumer : attached_) consumer->add(sample_);
  sample_.pages.clear();
  sample_.accesses.clear();
  while (max_pages_ != 0 && index_.size() > max_pages_ && threshold_ > 1) thin_out();
}

void ShardsSampler::thin_out() {
  threshold_ /= 2;
  rate_ /= 2;
  std::vector<std::uint8_t> keep(index_.size());
  for (std::size_t id = 0; id < keep.size(); ++id) {
    keep[id] = sampled(index_.key(static_cast<PageId>(id))) ? 1 : 0;
  }
  index_.retain(keep);
  lru_.retain(keep);
  lru_.halve();
}

MissRatioCurve ShardsSampler::curve() {
  add_sample();
  return lru_.curve({rate_, total_});
}

}  // namespace rigel
