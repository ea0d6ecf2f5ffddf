/** The product must not start as it is set up. The message is one clear line for the operator. */
export class StartRefused extends Error {
  override readonly name = "StartRefused";
}

/** The exit code of a refused start: whoever supervises the process must not start it again. */
export const START_REFUSED_EXIT_CODE = 2;

/** The exit code of a start without room on the disk: whoever supervises the process tries again later. */
export const NO_ROOM_EXIT_CODE = 3;
