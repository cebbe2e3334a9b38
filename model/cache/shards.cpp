#include "model/cache/shards.hpp"

namespace rigel {

ShardsSampler::ShardsSampler(const ShardsOptions& options)
    : seed_{options.seed},
      threshold_{threshold_of(options.rate)},
      rate_{options.rate},
      max_pages_{options.max_pages} {}

// Which of these are in the sample. Nobody can guess which, so that a branch would cost more than
// writing down each and stepping on only for those.
void ShardsSampler::choose(const std::vector<std::uint64_t>& pages) {
  chosen_.resize(pages.size());
  std::uint32_t* end = chosen_.data();
  const std::uint64_t seed = seed_;
  const std::uint64_t threshold = threshold_;
  const auto count = static_cast<std::uint32_t>(pages.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    *end = i;
    end += page_hash(pages[i], seed) < threshold ? 1 : 0;
  }
  chosen_.resize(static_cast<std::size_t>(end - chosen_.data()));
}

void ShardsSampler::count(const std::vector<PageAccess>& accesses) {
  std::uint64_t writes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t write_bytes = 0;
  for (const PageAccess access : accesses) {
    const std::uint64_t write = access.write() ? 1 : 0;
    writes += write;
    bytes += access.bytes();
    write_bytes += access.bytes() & (0 - write);
  }
  total_.pages[0] += static_cast<double>(accesses.size() - writes);
  total_.pages[1] += static_cast<double>(writes);
  total_.bytes[0] += static_cast<double>(bytes - write_bytes);
  total_.bytes[1] += static_cast<double>(write_bytes);
}

void ShardsSampler::add(const PageBlock& block) {
  choose(block.pages);
  for (const std::uint32_t i : chosen_) sample_.add(block.pages[i], block.accesses[i]);
  if (block.counted) count(block.accesses);
  const PageBlock& sampled = sample_.take(block.counted);
  for (BlockConsumer* consumer : attached_) consumer->add(sampled);
  sample_.clear();
  while (max_pages_ != 0 && sample_.pages() > max_pages_ && threshold_ > 1) {
    threshold_ /= 2;
    rate_ /= 2;
    sample_.halve([this](std::uint64_t page) { return page_hash(page, seed_) < threshold_; });
  }
}

void ShardsSampler::finish(const GoOn& go_on) {
  for (BlockConsumer* consumer : attached_) consumer->finish(go_on);
}

}  // namespace rigel
