/** The product cannot start with these settings. The message is one line for the operator. */
export class StartRefused extends Error {
  override readonly name = "StartRefused";
}

/** The start failed because something is temporarily missing. The message is one line for the operator. */
export class StartLater extends Error {
  override readonly name = "StartLater";
}

/** The exit code of a refused start: the supervisor must not start it again. */
export const START_REFUSED_EXIT_CODE = 2;

/** The exit code of a start that may succeed later: the supervisor should try again. */
export const START_LATER_EXIT_CODE = 3;
