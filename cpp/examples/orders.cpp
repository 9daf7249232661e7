// Uses numbers and a struct as keys. Each line of the input is an order, "SHOP NUMBER". It adds two
// keys: the number (for look-ups in any shop), and the order itself.
//
//   orders FILE < ORDERS
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>

#include <tamis/tamis.hpp>

struct Order {
  std::uint32_t shop = 0;
  std::uint64_t number = 0;
};

std::string tamis_key(const Order& order) {
  return std::to_string(order.shop) + "/" + std::to_string(order.number);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: orders FILE < ORDERS\n";
    return 2;
  }
  auto filter = tamis::BloomFilter::create({.capacity = 1'000'000, .fpr = 0.001});
  if (!filter) return 1;
  for (Order order; std::cin >> order.shop >> order.number;) {
    filter->insert(order.number);
    filter->insert(order);
  }

  const auto bytes = tamis::encode(*filter);
  if (!bytes) return 1;
  std::ofstream out(argv[1], std::ios::binary);
  for (const std::byte byte : bytes->span()) out.put(std::to_integer<char>(byte));
  return out.flush() ? 0 : 1;
}
