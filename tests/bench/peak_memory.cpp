// peak_memory FILE COMMAND...: runs the command and appends its peak resident size in KiB to FILE.
// Exits as the command does.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: peak_memory FILE COMMAND...\n", stderr);
    return 2;
  }
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    std::perror(argv[2]);
    _exit(127);
  }
  int status = 0;
  struct rusage usage = {};
  if (child < 0 || wait4(child, &status, 0, &usage) != child) {
    std::perror("peak_memory");
    return 1;
  }
  std::FILE* const file = std::fopen(argv[1], "a");
  if (file == nullptr || std::fprintf(file, "%ld\n", usage.ru_maxrss) < 0 ||
      std::fclose(file) != 0) {
    std::perror(argv[1]);
    return 1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
