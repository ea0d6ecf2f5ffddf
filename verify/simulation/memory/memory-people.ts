import { dropEmptyGroups, endAutobuyAtLimit } from "./memory-rules.ts";
import {
  type BlockedSeller,
  BlockedSellers,
  foldLogin,
  withBlocked,
} from "#domain/market/blocked-sellers.ts";
import { isDeepStrictEqual } from "node:util";
import { criteriaOf, type FilterCriteria } from "#domain/market/filter.ts";
import { type UserId, asUserId } from "#domain/ids.ts";
import type { Secret } from "#domain/secret.ts";
import { DEFAULT_PAYMENT_METHOD_ID } from "#catalogue/payment-methods.ts";
import {
  DEFAULT_LIMITS,
  EMPTY_ADDRESS,
  type MarketplaceSettings,
  type SettingsChange,
} from "#domain/settings.ts";
import type { FilterStore, NewFilter } from "#store/market-store.ts";
import type { AccountTokens } from "#store/purchase-facts.ts";
import type { AccountStore, SellerStore, SettingsStore, UserStore } from "#store/store.ts";
import type { AccountRow, FilterRow, MemoryTables, SettingsRow } from "./memory-tables.ts";

/** People, their settings, marketplace accounts and filters, as far as purchases need them. */

const NO_SETTINGS: SettingsRow = {
  paymentMethodId: DEFAULT_PAYMENT_METHOD_ID,
  address: EMPTY_ADDRESS,
  pickupPointNames: [],
  mandate: null,
  limits: DEFAULT_LIMITS,
  resumedAtMs: 0,
};

type KnownUsers = Pick<UserStore, "signIn" | "setPlan" | "setSuspended" | "byId" | "subscribers" | "all">;

export function createMemoryUsers(tables: MemoryTables): KnownUsers {
  const change = (id: UserId, changes: object): void => {
    const user = tables.users.get(id);
    if (user !== undefined) tables.users.put(id, { ...user, ...changes });
  };
  return {
    byId: async (id) => tables.users.get(id) ?? null,
    subscribers: async (ids) => ids.map((id) => tables.users.get(id)).filter((user) => user !== undefined),
    all: async () => [...tables.users.rows()],
    async signIn(identity, nowMs) {
      const known = [...tables.users.rows()].find(
        ({ provider, providerId }) => provider === identity.provider && providerId === identity.providerId,
      );
      if (known !== undefined) return { user: known, isNew: false };
      const user = {
        ...identity,
        id: asUserId(`user-${identity.provider}-${identity.providerId}`),
        plan: "none",
        planEndsAtMs: null,
        isSuspended: false,
        createdAtMs: nowMs,
      } as const;
      tables.users.put(user.id, user);
      tables.settings.put(user.id, NO_SETTINGS);
      return { user, isNew: true };
    },
    async setPlan(id, plan, planEndsAtMs) {
      change(id, { plan, planEndsAtMs });
    },
    async setSuspended(id, isSuspended) {
      tables.transaction(() => change(id, { isSuspended }));
    },
  };
}

export function createMemorySettings(tables: MemoryTables): Pick<SettingsStore, "get" | "change"> {
  return {
    async get(userId) {
      return settingsIn(tables, userId);
    },
    async change(userId, change, nowMs) {
      tables.transaction(() => changeSettings(tables, { userId, change, nowMs }));
    },
  };
}

export function settingsIn(tables: MemoryTables, userId: UserId): MarketplaceSettings {
  const row = tables.settings.get(userId) ?? NO_SETTINGS;
  const account = tables.accounts.get(userId);
  const { paymentMethodId, address, pickupPointNames, limits, mandate } = row;
  const tokenTail = account?.refreshToken?.reveal().slice(-4) ?? "";
  const state = account?.state ?? "absent";
  return { paymentMethodId, address, pickupPointNames, limits, mandate, account: { state, tokenTail } };
}

interface SettingsEdit {
  readonly userId: UserId;
  readonly change: SettingsChange;
  readonly nowMs: number;
}

function changeSettings(tables: MemoryTables, { userId, change, nowMs }: SettingsEdit): void {
  const before = tables.settings.get(userId);
  if (before === undefined) throw new Error("settings of a person who does not exist");
  const { refreshToken, limits, mandateVersion, ...columns } = change;
  const isResumed = before.limits.isStopped && limits?.isStopped === false;
  tables.settings.put(userId, {
    ...before,
    ...columns,
    limits: { ...before.limits, ...limits },
    resumedAtMs: isResumed ? nowMs : before.resumedAtMs,
    ...mandateColumn(mandateVersion, nowMs),
  });
  if (mandateVersion === null)
    for (const filter of [...tables.filters.rows()].filter((each) => each.userId === userId))
      tables.filters.put(filter.id, { ...filter, isAutobuy: false });
  const buying = tables.buyingAccounts.get(userId);
  if (limits?.isStopped === true && buying !== undefined)
    tables.buyingAccounts.put(userId, { ...buying, stopThrownAtMs: 0 });
  if (refreshToken === undefined) return;
  const account = tables.accounts.get(userId);
  if (account === undefined && refreshToken === null) return;
  if (account !== undefined && refreshToken !== null && stands(account, refreshToken)) return;
  tables.accounts.put(userId, {
    state: refreshToken === null ? "absent" : "connected",
    refreshToken,
    givenToken: refreshToken,
    accessToken: null,
    accessExpiresAtMs: 0,
    generation: (account?.generation ?? 0) + 1,
    connectedAtMs: nowMs,
    ordersSinceMs: account?.state === "reconnect" ? account.ordersSinceMs : nowMs,
    askedToWaitUntilMs: account?.askedToWaitUntilMs ?? 0,
    ...UNCLAIMED,
  });
}

/** The given token is the one that already connects the account, as in the real store. */
function stands({ state, refreshToken, givenToken }: AccountRow, token: Secret): boolean {
  const known = [refreshToken?.reveal(), givenToken?.reveal()];
  return state === "connected" && known.includes(token.reveal());
}

function mandateColumn(version: number | null | undefined, nowMs: number): Partial<SettingsRow> {
  if (version === undefined) return {};
  return { mandate: version === null ? null : { version, givenAtMs: nowMs } };
}

const UNCLAIMED = { refreshOwner: null, refreshUntilMs: 0 };

export function tokensIn({ accounts }: MemoryTables, userId: UserId): AccountTokens | null {
  const account = accounts.get(userId);
  if (account === undefined || account.state === "absent" || account.refreshToken === null) return null;
  const { accessToken, accessExpiresAtMs, generation, state } = account;
  const { connectedAtMs, ordersSinceMs, askedToWaitUntilMs } = account;
  const times = { accessExpiresAtMs, connectedAtMs, ordersSinceMs, askedToWaitUntilMs };
  return { refreshToken: account.refreshToken, accessToken, generation, state, ...times };
}

export function createMemoryAccounts(tables: MemoryTables): AccountStore {
  const { accounts } = tables;
  const ofGeneration = (userId: UserId, generation: number): AccountRow | null => {
    const account = accounts.get(userId);
    return account?.generation === generation ? account : null;
  };
  return {
    tokens: async (userId) => tokensIn(tables, userId),
    async claimRefresh(userId, { generation, owner, untilMs, abandoned }) {
      const account = ofGeneration(userId, generation);
      if (account?.state !== "connected") return { kind: "moved_on" };
      const { refreshOwner, refreshUntilMs } = account;
      const isAbandoned = refreshOwner === abandoned?.owner && refreshUntilMs === abandoned.untilMs;
      if (refreshOwner !== null && !isAbandoned)
        return { kind: "held", by: { owner: refreshOwner, untilMs: refreshUntilMs } };
      accounts.put(userId, { ...account, refreshOwner: owner, refreshUntilMs: untilMs });
      return { kind: "claimed" };
    },
    async saveRotation(userId, { generation, ...pair }) {
      const account = ofGeneration(userId, generation);
      if (account === null) return false;
      const next = { ...account, ...pair, state: "connected" as const, generation: generation + 1 };
      accounts.put(userId, { ...next, ...UNCLAIMED });
      return true;
    },
    async releaseRefresh(userId, owner) {
      const account = accounts.get(userId);
      if (account?.refreshOwner === owner) accounts.put(userId, { ...account, ...UNCLAIMED });
    },
    async markRefused(userId, generation) {
      const account = ofGeneration(userId, generation);
      if (account?.state !== "connected") return;
      const refused = { state: "reconnect" as const, accessToken: null, accessExpiresAtMs: 0 };
      accounts.put(userId, { ...account, ...refused, ...UNCLAIMED });
    },
    async askToWait(userId, untilMs) {
      const account = accounts.get(userId);
      if (account !== undefined && account.askedToWaitUntilMs < untilMs)
        accounts.put(userId, { ...account, askedToWaitUntilMs: untilMs });
    },
    async connectedUserIds() {
      return accounts
        .entries()
        .filter(([, { state }]) => state === "connected")
        .map(([userId]) => userId)
        .toArray()
        .sort();
    },
  };
}

export function createMemorySellers({ blockedSellers, users, transaction }: MemoryTables): SellerStore {
  const entriesOf = (userId: UserId): readonly BlockedSeller[] => blockedSellers.get(userId) ?? [];
  const listOf = (userId: UserId): readonly BlockedSeller[] =>
    entriesOf(userId).toSorted(
      (one, other) => other.sinceMs - one.sinceMs || (foldLogin(one.login) < foldLogin(other.login) ? -1 : 1),
    );
  return {
    list: async (userId) => listOf(userId),
    blockedOf: async (userId) => new BlockedSellers(entriesOf(userId)),
    blockedOfAll: async () => (userId) => new BlockedSellers(entriesOf(userId)),
    async block(userId, sellers, { nowMs, limit }) {
      return transaction(() => {
        const before = entriesOf(userId);
        const after = withBlocked(before, sellers, nowMs);
        if (users.get(userId) === undefined) return [];
        if (after.length > Math.max(limit, before.length)) return null;
        blockedSellers.put(userId, after);
        return listOf(userId);
      });
    },
    async unblock(userId, login) {
      const left = entriesOf(userId).filter((entry) => foldLogin(entry.login) !== foldLogin(login));
      blockedSellers.put(userId, left);
      return listOf(userId);
    },
  };
}

type KnownFilters = Pick<
  FilterStore,
  "ofUser" | "byId" | "add" | "change" | "remove" | "stopAutobuy" | "activeOf" | "activePages" | "countActive"
>;

export function createMemoryFilters(tables: MemoryTables): KnownFilters {
  const { filters, transaction } = tables;
  const ofUser = (userId: UserId): readonly FilterRow[] =>
    [...filters.rows()].filter((filter) => filter.userId === userId);
  return {
    ofUser: async (userId) => ofUser(userId).toReversed(),
    async byId(userId, id) {
      const filter = filters.get(id);
      return filter?.userId === userId ? filter : null;
    },
    async *activePages() {
      const active = [...filters.rows()].filter(({ isActive }) => isActive);
      const byPerson = Map.groupBy(active, ({ userId }) => userId);
      if (active.length > 0) yield [...byPerson.values()].flat();
    },
    countActive: async () => [...filters.rows()].filter(({ isActive }) => isActive).length,
    async add(filter, limit) {
      if (ofUser(filter.userId).length >= limit) return "too_many_filters";
      filters.put(filter.id, {
        ...filter,
        copies: 0,
        groupId: null,
        autobuyEnd: null,
        criteriaSinceMs: null,
      });
      return "saved";
    },
    async change(userId, ids, change, { nowMs }) {
      const own = () => ids.flatMap((id) => ofUser(userId).filter((filter) => filter.id === id));
      const before = own();
      if (before.length < ids.length) return "gone";
      return transaction(() => {
        const changed = before.map((known) => changedRow(known, change(known), nowMs));
        for (const filter of changed) filters.put(filter.id, filter);
        if (changed.some(({ isAutobuy }) => isAutobuy)) endAutobuyAtLimit(tables, userId, nowMs);
        return own();
      });
    },
    async remove(userId, ids) {
      if (ids.some((id) => filters.get(id)?.userId !== userId)) return 0;
      for (const id of ids) filters.remove(id);
      dropEmptyGroups(tables, userId);
      return ids.length;
    },
    async stopAutobuy(userId) {
      return transaction(() => {
        const on = ofUser(userId).filter(({ isAutobuy }) => isAutobuy);
        for (const filter of on) filters.put(filter.id, { ...filter, isAutobuy: false });
        return on.map(({ id }) => id);
      });
    },
    activeOf: async (userId) => ofUser(userId).filter(({ isActive }) => isActive),
  };
}

/** As `replaceFilter` of store/market/filter-rows.ts. */
function changedRow(known: FilterRow, filter: NewFilter, nowMs: number): FilterRow {
  const { createdAtMs, copies, groupId } = known;
  const isSince = known.autobuySinceMs !== null && known.autobuySinceMs === filter.autobuySinceMs;
  const isAutobuy = filter.isAutobuy && (known.isAutobuy || !isSince);
  const autobuyEnd = isAutobuy ? null : known.autobuyEnd;
  const criteriaSinceMs = hasSameCriteria(known, filter) ? known.criteriaSinceMs : nowMs;
  const beginsToPay = known.isSimulation && !filter.isSimulation && isAutobuy;
  const autobuySinceMs = beginsToPay ? nowMs : filter.autobuySinceMs;
  const kept = { createdAtMs, copies, groupId, criteriaSinceMs, autobuySinceMs };
  return { ...filter, ...kept, isAutobuy, autobuyEnd };
}

/** As in store/market/filter-rows.ts: the price is compared by every decision itself. */
function hasSameCriteria(one: FilterCriteria, other: FilterCriteria): boolean {
  const besidesPrice = (filter: FilterCriteria) =>
    criteriaOf({ ...filter, priceCapEur: 0, priceFloorEur: 0 });
  return isDeepStrictEqual(besidesPrice(one), besidesPrice(other));
}
