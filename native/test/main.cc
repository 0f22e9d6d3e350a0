// Usage: native-test <empty folder> <seed>. Meant to run under sanitizers; exits 0 when nothing was found.
#include "check.h"

int main(int argc, char** argv) {
  CHECK(argc == 3);
  rallypoint::test::Random random(std::strtoull(argv[2], nullptr, 10));
  rallypoint::test::address_test(random);
  rallypoint::test::key_file_test(random);
  rallypoint::test::lock_test(argv[1]);
  rallypoint::test::schemes_test(argv[1], random);
  std::puts("ok");
}
