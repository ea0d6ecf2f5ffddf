import { z } from "zod";

/**
 * The protocol of the operator's socket file (contract §6): the command sends one line of JSON, the running
 * product answers with one. It is not reachable over the network.
 */
export const OPERATOR_SOCKET_FILE = "operator.sock";

/** Maximum path length of a socket on every supported system (macOS: 104 with the terminating zero). */
export const SOCKET_PATH_MAX_BYTES = 103;

/** Enough for every command; answers are bounded by the size of a person's data. */
export const OPERATOR_REQUEST_MAX_BYTES = 16 * 1024;

const name = z.string().trim().min(1).max(200);
const nothing = z.strictObject({});
const someone = z.strictObject({ name });
const someoneOrAll = z.strictObject({ name: name.optional() });

const MAX_DAYS = 3_660;

/** The commands and their arguments. */
export const operatorCommands = {
  users: nothing,
  show: someone,
  grant: z.strictObject({
    name,
    plan: z.enum(["seeker", "acquire", "thunder"]),
    /** Duration of the plan in days; absent: no end. */
    days: z.number().int().min(1).max(MAX_DAYS).optional(),
  }),
  revoke: someone,
  waitlist: nothing,
  suspend: someone,
  unsuspend: someone,
  stop: someoneOrAll,
  resume: someoneOrAll,
  resolve: z.strictObject({ purchase: name, outcome: z.enum(["confirmed", "cancelled"]) }),
  export: someone,
  erase: someone,
  /** An absolute path that does not exist yet. */
  backup: z.strictObject({ file: z.string().startsWith("/").max(4_096) }),
  "rotate-keys": nothing,
  alerts: nothing,
  doctor: nothing,
  /** The archive's figures; `erase` deletes the archive. */
  archive: z.strictObject({ action: z.literal("erase").optional() }),
} as const;

export type OperatorCommand = keyof typeof operatorCommands;
export type OperatorInput<Command extends OperatorCommand> = z.output<(typeof operatorCommands)[Command]>;

export const operatorRequest = z.object({ command: z.string(), input: z.unknown() });

export const operatorAnswer = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), lines: z.array(z.string()).readonly(), data: z.unknown() }),
  z.object({ ok: z.literal(false), error: z.string() }),
]);
export type OperatorAnswer = z.output<typeof operatorAnswer>;

/** A command's output: lines for people, and the same as data for programs. */
export interface OperatorReport {
  readonly lines: readonly string[];
  readonly data: unknown;
}

/** The result of one check of `doctor`: passed, or a problem and its remedy. */
export const finding = z.object({ what: z.string(), isWrong: z.boolean(), advice: z.string() });
export type Finding = z.output<typeof finding>;

export const fine = (what: string): Finding => ({ what, isWrong: false, advice: "" });
export const wrong = (what: string, advice: string): Finding => ({ what, isWrong: true, advice });

/** The output of `doctor`: one line per finding, each problem with its remedy. */
export function doctorReport(findings: readonly Finding[]): OperatorReport {
  return {
    lines: findings.map(({ what, isWrong, advice }) =>
      isWrong ? `WRONG  ${what}: ${advice}` : `ok     ${what}`,
    ),
    data: findings.map((one) => ({ ...one })),
  };
}
