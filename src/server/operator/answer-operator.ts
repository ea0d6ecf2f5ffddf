import { z } from "zod";
import {
  type OperatorAnswer,
  type OperatorCommand,
  operatorCommands,
  type OperatorReport,
} from "#contract/operator.ts";
import { describeError, type Log } from "#domain/log.ts";
import { StoreError } from "#store/errors.ts";
import { backupStore, examine, rotateKeys } from "./doctor.ts";
import { type OperatorDeps, OperatorError } from "./operator-deps.ts";
import {
  grantPlan,
  listUsers,
  listWaiting,
  revokePlan,
  showPerson,
  suspendPerson,
  unsuspendPerson,
} from "./people.ts";
import { erasePerson, exportPerson } from "./personal-data.ts";
import { resolvePurchase, resumeBuying, stopBuying } from "./stops.ts";

type Carry = (input: unknown, deps: OperatorDeps) => Promise<OperatorReport>;

/** Validates the request, regardless of the client. */
function taking<Schema extends z.ZodType>(
  schema: Schema,
  carry: (input: z.output<Schema>, deps: OperatorDeps) => Promise<OperatorReport>,
): Carry {
  return async (input, deps) => carry(schema.parse(input), deps);
}

const carriers: Readonly<Record<OperatorCommand, Carry>> = {
  users: taking(operatorCommands.users, (_input, deps) => listUsers(deps)),
  show: taking(operatorCommands.show, showPerson),
  grant: taking(operatorCommands.grant, grantPlan),
  revoke: taking(operatorCommands.revoke, revokePlan),
  waitlist: taking(operatorCommands.waitlist, (_input, deps) => listWaiting(deps)),
  suspend: taking(operatorCommands.suspend, suspendPerson),
  unsuspend: taking(operatorCommands.unsuspend, unsuspendPerson),
  stop: taking(operatorCommands.stop, stopBuying),
  resume: taking(operatorCommands.resume, resumeBuying),
  resolve: taking(operatorCommands.resolve, resolvePurchase),
  export: taking(operatorCommands.export, exportPerson),
  erase: taking(operatorCommands.erase, erasePerson),
  backup: taking(operatorCommands.backup, backupStore),
  "rotate-keys": taking(operatorCommands["rotate-keys"], (_input, deps) => rotateKeys(deps)),
  doctor: taking(operatorCommands.doctor, (_input, deps) => examine(deps)),
};

function isCommand(word: string): word is OperatorCommand {
  return Object.hasOwn(carriers, word);
}

/** Executes an operator command. Never throws: failures are reported without internals. */
export async function answerOperator(
  command: string,
  input: unknown,
  { log, ...deps }: OperatorDeps & { readonly log: Log },
): Promise<OperatorAnswer> {
  if (!isCommand(command)) return { ok: false, error: `"${command.slice(0, 40)}" is no command` };
  log.info({ command }, "the operator asks");
  try {
    return { ok: true, ...(await carriers[command](input, deps)) };
  } catch (error) {
    if (error instanceof OperatorError || error instanceof StoreError)
      return { ok: false, error: error.message };
    if (error instanceof z.ZodError) return { ok: false, error: z.prettifyError(error) };
    log.error({ command, ...describeError(error) }, "an operator's command failed");
    return { ok: false, error: "the command failed: the log says where" };
  }
}
