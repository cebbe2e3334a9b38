// What the recorder may still do once its programs are attached: as little as it needs, so that a
// fault in it costs as little as can be. By libcap-ng; capabilities are each thread's own.
#pragma once

namespace rigel {

// For the thread that drains: it reads and attaches BPF, and nothing else.
void drop_draining_privileges();
// For the thread that writes: it asks /proc for the names of other users' processes and creates
// files where the user said. Both throw Error when the kernel refuses.
void drop_writing_privileges();

}  // namespace rigel
