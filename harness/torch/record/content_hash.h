#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace minrepro {

/// Two independent 64-bit hashes of the bytes, at memory speed. Not for anything that an adversary may choose.
inline std::pair<uint64_t, uint64_t> content_hash(std::string_view bytes) {
  const auto mix = [](uint64_t a, uint64_t b) {
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  };
  uint64_t first = 0x9E3779B97F4A7C15u ^ bytes.size();
  uint64_t second = 0xC2B2AE3D27D4EB4Fu + bytes.size();
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  const auto step = [&](const char* from) {
    uint64_t words[4];
    std::memcpy(words, from, sizeof words);
    first = mix(first ^ words[0], words[1] ^ 0xE7037ED1A0B428DBu) + mix(words[2] ^ 0x8EBC6AF09C88C6E3u, words[3] ^ first);
    second = mix(second ^ words[3], words[0] ^ 0x589965CC75374CC3u) + mix(words[1] ^ 0x1D8E4E27C47D124Fu, words[2] ^ second);
  };
  for (; left >= 32; at += 32, left -= 32) step(at);
  char tail[32] = {};
  std::memcpy(tail, at, left);
  step(tail);
  return {mix(first, 0xD6E8FEB86659FD93u), mix(second, 0xA0761D6478BD642Fu)};
}

}  // namespace minrepro
