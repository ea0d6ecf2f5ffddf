/** `backup` and `rotate-keys`. */
import type { OperatorInput, OperatorReport } from "#contract/operator.ts";
import type { OperatorDeps } from "./operator-deps.ts";

export async function backupStore(
  { file }: OperatorInput<"backup">,
  { store, clock }: OperatorDeps,
): Promise<OperatorReport> {
  await store.backup(file);
  await store.audit.append({ atMs: clock.nowMs(), kind: "admin_backup", userId: null, details: {} });
  return {
    lines: [`${file} holds the store as it is now; its keys are not in it: back up master.keys apart`],
    data: { file },
  };
}

export async function rotateKeys({ store, clock }: OperatorDeps): Promise<OperatorReport> {
  const { hasNewKey, rewrappedCount } = await store.rotateKeys();
  const details = { hasNewKey, rewrappedCount };
  await store.audit.append({ atMs: clock.nowMs(), kind: "admin_rotate_keys", userId: null, details });
  const source = hasNewKey
    ? "a new key was made"
    : "MASTER_KEYS gives the keys: put a new one in front first";
  return { lines: [`${source}; ${rewrappedCount} keys were sealed anew`], data: details };
}
