/** People and their plans: `users`, `show`, `waitlist`, `grant`, `revoke`, `suspend`, `unsuspend`. */
import type { PlanKey } from "#catalogue/plans.ts";
import type { OperatorInput, OperatorReport } from "#contract/operator.ts";
import { DAY_MS } from "#domain/clock.ts";
import { autobuyLaneNow, levelNow, planNow, type User } from "#domain/user.ts";
import { type OperatorDeps, personNamed, printable, textTable, utcText } from "./operator-deps.ts";

const SHOWN_AUDIT_ENTRIES = 20;

function personData(user: User, nowMs: number) {
  return {
    id: user.id,
    login: user.login,
    name: user.displayName,
    provider: user.provider,
    plan: planNow(user, nowMs),
    level: levelNow(user, nowMs),
    planEnds: user.planEndsAtMs === null ? null : utcText(user.planEndsAtMs),
    suspended: user.isSuspended,
    since: utcText(user.createdAtMs),
  };
}

function personRow(user: User, nowMs: number): readonly string[] {
  const data = personData(user, nowMs);
  const state = data.suspended ? "suspended" : data.plan;
  return [data.id, printable(data.login), state, data.planEnds ?? "-", data.since];
}

export async function listUsers({ store, clock }: OperatorDeps): Promise<OperatorReport> {
  const users = await store.users.all();
  const nowMs = clock.nowMs();
  return {
    lines: textTable([
      ["id", "login", "plan", "until", "since"],
      ...users.map((user) => personRow(user, nowMs)),
    ]),
    data: users.map((user) => personData(user, nowMs)),
  };
}

export async function listWaiting({ store, clock }: OperatorDeps): Promise<OperatorReport> {
  const nowMs = clock.nowMs();
  const waiting = await store.users.waitlist(nowMs);
  const data = waiting.map((user, index) => ({ rank: index + 1, ...personData(user, nowMs) }));
  const rows = data.map((one) => [String(one.rank), one.id, printable(one.login), one.since]);
  return { lines: textTable([["rank", "id", "login", "since"], ...rows]), data };
}

export async function showPerson(
  { name }: OperatorInput<"show">,
  deps: OperatorDeps,
): Promise<OperatorReport> {
  const { store, clock } = deps;
  const user = await personNamed(name, deps);
  const nowMs = clock.nowMs();
  const settings = await store.settings.get(user.id);
  const filters = await store.filters.ofUser(user.id);
  const groups = await store.groups.list(user.id);
  const blocked = await store.sellers.list(user.id);
  const purchases = await deps.purchasing.list(user.id);
  const accountStop = await store.purchases.accountStop(user.id);
  const sessions = await store.sessions.ofUser(user.id);
  const audit = await store.audit.ofUser(user.id, SHOWN_AUDIT_ENTRIES);
  const data = {
    ...personData(user, nowMs),
    account: settings.account.state,
    stopped: settings.limits.isStopped,
    accountStop: accountStop === null ? null : accountStop.reason,
    filters: filters.length,
    activeFilters: filters.filter((filter) => filter.isActive).length,
    autobuyFilters: filters.filter((filter) => filter.isAutobuy).length,
    groups: groups.length,
    blockedSellers: blocked.length,
    purchases: purchases.length,
    sessions: sessions.length,
  };
  const lastActs = audit.map((entry) => ({ at: utcText(entry.atMs), kind: entry.kind }));
  return {
    lines: [
      ...textTable(Object.entries(data).map(([key, value]) => [key, printable(String(value ?? "-"))])),
      ...lastActs.map((act) => `${act.at}  ${act.kind}`),
    ],
    data: { ...data, audit: lastActs },
  };
}

export async function grantPlan(
  { name, plan, days }: OperatorInput<"grant">,
  deps: OperatorDeps,
): Promise<OperatorReport> {
  const user = await personNamed(name, deps);
  const endsAtMs = days === undefined ? null : deps.clock.nowMs() + days * DAY_MS;
  await changePlan(user, { plan, endsAtMs }, deps);
  const until = endsAtMs === null ? "without an end" : `until ${utcText(endsAtMs)}`;
  return { lines: [`${printable(user.login)} has ${plan} ${until}`], data: { id: user.id, plan, endsAtMs } };
}

export async function revokePlan(
  { name }: OperatorInput<"revoke">,
  deps: OperatorDeps,
): Promise<OperatorReport> {
  const user = await personNamed(name, deps);
  await changePlan(user, { plan: "none", endsAtMs: null }, deps);
  return {
    lines: [`${printable(user.login)} has no plan`],
    data: { id: user.id, plan: "none", endsAtMs: null },
  };
}

async function changePlan(
  user: User,
  { plan, endsAtMs }: { readonly plan: PlanKey; readonly endsAtMs: number | null },
  { store, events, clock }: OperatorDeps,
): Promise<void> {
  const nowMs = clock.nowMs();
  const isPlanWithoutAutobuy =
    plan !== "none" &&
    autobuyLaneNow({ ...user, plan, planEndsAtMs: endsAtMs, isSuspended: false }, nowMs) === null;
  // First, so that no failure in between leaves filters buying that a later plan would activate.
  const filterIds = isPlanWithoutAutobuy ? await store.filters.stopAutobuy(user.id) : [];
  await store.users.setPlan(user.id, plan, endsAtMs);
  await store.audit.append({ atMs: nowMs, kind: "admin_plan", userId: user.id, details: { plan, endsAtMs } });
  await events.publish({ kind: "user_changed", userId: user.id });
  await events.publish({ kind: "filters_changed", userId: user.id, filterIds });
}

export async function suspendPerson(
  { name }: OperatorInput<"suspend">,
  deps: OperatorDeps,
): Promise<OperatorReport> {
  const user = await personNamed(name, deps);
  await changeSuspension(user, true, deps);
  await deps.sessions.endAll(user.id);
  return { lines: [`${printable(user.login)} is suspended`], data: { id: user.id, suspended: true } };
}

export async function unsuspendPerson(
  { name }: OperatorInput<"unsuspend">,
  deps: OperatorDeps,
): Promise<OperatorReport> {
  const user = await personNamed(name, deps);
  await changeSuspension(user, false, deps);
  return {
    lines: [`${printable(user.login)} is no longer suspended`],
    data: { id: user.id, suspended: false },
  };
}

async function changeSuspension(
  user: User,
  isSuspended: boolean,
  { store, events, clock }: OperatorDeps,
): Promise<void> {
  await store.users.setSuspended(user.id, isSuspended);
  const kind = isSuspended ? "admin_suspend" : "admin_unsuspend";
  await store.audit.append({ atMs: clock.nowMs(), kind, userId: user.id, details: {} });
  await events.publish({ kind: "user_changed", userId: user.id });
}
