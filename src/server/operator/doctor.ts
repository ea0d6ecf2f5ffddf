/** `doctor` diagnoses the running product, with a remedy for each finding; `backup` and `rotate-keys`. */
import { request } from "undici";
import {
  doctorReport,
  type Finding,
  fine,
  type OperatorInput,
  type OperatorReport,
  wrong,
} from "#contract/operator.ts";
import { describeError } from "#domain/log.ts";
import { shownPause } from "#feed/feed.ts";
import { StoreError } from "#store/errors.ts";
import { checkDisk, checkModes } from "./data-dir.ts";
import { type OperatorDeps, utcText } from "./operator-deps.ts";

const ALERTS_LATE_MS = 10 * 60_000;
const MARKETPLACE_PATIENCE_MS = 5_000;

/** The checks by their subjects, in the order of the report. */
const CHECKS: Readonly<Record<string, (deps: OperatorDeps) => Promise<Finding>>> = {
  "the store": checkStore,
  "the audit log": checkAudit,
  "the books of money": checkBooks,
  "stops of purchases": checkStops,
  "the feed": checkFeed,
  "look-ups of sellers": checkSellers,
  "the archive of the market": checkArchive,
  "the marketplace": checkMarketplace,
  "the services of alerts": checkAlertServices,
  "waiting alerts": checkWaitingAlerts,
  "the disk": async ({ config }) => checkDisk(config.dataDir),
  "the modes of the data": async ({ config }) => checkModes(config.dataDir),
};

export async function examine(deps: OperatorDeps): Promise<OperatorReport> {
  const findings = await Promise.all(
    Object.entries(CHECKS).map(([subject, check]) =>
      // With the store away most checks fail; the others still say what they found.
      check(deps).catch((error: unknown) => unchecked(deps, subject, error)),
    ),
  );
  return doctorReport([fine(`the product runs at ${deps.config.publicUrl}`), ...findings]);
}

function unchecked({ log }: OperatorDeps, subject: string, error: unknown): Finding {
  log.warn({ finding: subject, ...describeError(error) }, "doctor could not check something");
  const cause = error instanceof StoreError ? ` (${error.message})` : "";
  return wrong(`${subject} could not be checked${cause}`, "see the log for the cause, then ask doctor again");
}

async function checkStore({ store }: OperatorDeps): Promise<Finding> {
  try {
    await store.ping();
    return fine("the store answers");
  } catch {
    return wrong(
      "the store does not answer",
      "read the log; restart the product, nothing acknowledged is lost",
    );
  }
}

async function checkAudit({ store }: OperatorDeps): Promise<Finding> {
  await store.extendAuditChain();
  const verdict = await store.verifyAuditChain();
  return verdict.kind === "intact"
    ? fine("the audit log is as it was written")
    : wrong("the audit log was altered", "keep a copy of the data and find out who had access");
}

async function checkBooks({ store, clock }: OperatorDeps): Promise<Finding> {
  const violations = await store.purchases.auditLedger(clock.nowMs());
  return violations.length === 0
    ? fine("the books of money agree")
    : wrong(violations.join("; "), "stop buying (admin stop) and compare with the marketplace's orders");
}

async function checkStops({ purchasing }: OperatorDeps): Promise<Finding> {
  const stops = await purchasing.operator.stops();
  if (stops.length === 0) return fine("purchases are sent");
  const reasons = stops.map(({ by, reason, sinceMs }) => `${by}, ${utcText(sinceMs)}: ${reason}`);
  return wrong(`all purchases are stopped (${reasons.join("; ")})`, "admin resume, once the reason is gone");
}

async function checkFeed({ feedState }: OperatorDeps): Promise<Finding> {
  const state = feedState?.() ?? null;
  if (state === null) return fine("this node does not read the market");
  if (state.kind === "loading") return fine(`the filters are loaded: ${state.percent} %`);
  if (state.kind !== "paused")
    return fine(state.kind === "live" ? "the feed is live" : "the feed rests: nobody looks");
  if (state.reason === "store")
    return wrong(
      `the feed is paused until the store is back (people read: ${shownPause(state)?.reason})`,
      "it goes on by itself once the store takes what was read before",
    );
  return wrong(
    `the feed is paused until ${utcText(state.untilMs)}: ${state.reason} (people read: ${shownPause(state)?.reason})`,
    "it tries again by itself; a pause that grows means that the marketplace refuses this product",
  );
}

async function checkSellers({ store, config, clock }: OperatorDeps): Promise<Finding> {
  if (config.marketplace.sellerRequestsShare === 0)
    return fine("no seller is looked up (SELLER_REQUESTS_SHARE=0)");
  const untilMs = await store.sellerFacts.pausedUntil(clock.nowMs());
  if (untilMs === null) return fine("sellers are looked up where a filter asks");
  return wrong(
    `look-ups of sellers are paused until ${utcText(untilMs)}: the marketplace refused one`,
    "they go on by themselves, the feed is not affected; a pause that grows means that it refuses them for good: set SELLER_REQUESTS_SHARE=0",
  );
}

async function checkArchive({ memory }: OperatorDeps): Promise<Finding> {
  const { damagedBlocks, versions } = await memory.facts();
  return damagedBlocks.length === 0
    ? fine(`the archive of the market holds ${versions} versions`)
    : wrong(
        `blocks of the archive are damaged: ${damagedBlocks.join(", ")}`,
        "they are left out; admin archive erase begins anew, or restore a backup",
      );
}

async function checkMarketplace({ config }: OperatorDeps): Promise<Finding> {
  const { url } = config.marketplace;
  try {
    const { body } = await request(url, { signal: AbortSignal.timeout(MARKETPLACE_PATIENCE_MS) });
    // A connection that breaks while the body is unread would end the process.
    await body.dump();
    return fine(`${url} answers`);
  } catch {
    return wrong(`${url} does not answer`, "check the network, MARKETPLACE_URL or SANDBOX_URL");
  }
}

async function checkAlertServices({ alerts }: OperatorDeps): Promise<Finding> {
  const refused = await alerts.refusedServices();
  return refused.length === 0
    ? fine("no service refuses alerts")
    : wrong(
        `alerts are refused by the service of: ${refused.join(", ")}`,
        "check TELEGRAM_BOT_TOKEN, SMTP_URL and the network; what waits is sent once it is mended",
      );
}

async function checkWaitingAlerts({ alerts }: OperatorDeps): Promise<Finding> {
  const late = (await alerts.statistics()).filter(({ oldestMs }) => oldestMs > ALERTS_LATE_MS);
  if (late.length === 0) return fine("alerts are sent");
  return wrong(
    `alerts wait for more than 10 minutes: ${late.map(({ channel, waiting }) => `${channel} ${waiting}`).join(", ")}`,
    "read the log and look at the service's own state; they are tried again by themselves",
  );
}

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
  const given =
    rewrappedCount > 0
      ? "the first of MASTER_KEYS is the newest"
      : "MASTER_KEYS gives the keys: put a new one in front first";
  const source = hasNewKey ? "a new key was made" : given;
  return { lines: [`${source}; ${rewrappedCount} keys were sealed anew`], data: details };
}
