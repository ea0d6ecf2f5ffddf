/** The product must not start as it is set up. The message is one clear line for the operator. */
export class StartRefused extends Error {
  override readonly name = "StartRefused";
}

/** The start failed for want of something that may come back by itself. The message is one clear line for the operator. */
export class StartLater extends Error {
  override readonly name = "StartLater";
}

/** The exit code of a refused start: whoever supervises the process must not start it again. */
export const START_REFUSED_EXIT_CODE = 2;

/** The exit code of a start that may succeed later: whoever supervises the process tries again. */
export const START_LATER_EXIT_CODE = 3;
