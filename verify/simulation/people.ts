import { asFilterId, type UserId } from "#domain/ids.ts";
import { NO_RULES } from "#domain/buying-rules.ts";
import { openCriteria } from "#domain/market/filter.ts";
import { EMPTY_ADDRESS } from "#domain/settings.ts";
import { Secret } from "#domain/secret.ts";
import type { FilterStore, NewFilter } from "#store/market-store.ts";
import type { UserStore, SettingsStore } from "#store/store.ts";
import type { Plan, PlannedFilter, PlannedPerson } from "./plan.ts";

/** The stores that people are entered into before a run. */
export interface Registry {
  readonly users: Pick<UserStore, "signIn" | "setPlan">;
  readonly settings: Pick<SettingsStore, "change">;
  readonly filters: Pick<FilterStore, "add">;
}

/** A person of the run; the name is also that of their marketplace account. */
export interface Person {
  readonly name: string;
  readonly userId: UserId;
  /** Their initial limits and filters. */
  readonly planned: PlannedPerson;
}

const ADDRESS = {
  street: "12 rue de la Roquette",
  city: "Paris",
  postalCode: 75_011,
  country: "France",
} as const;
const MAX_FILTERS = 200;

/** Enters people with a plan, limits, a connected account and filters with automatic purchases. */
export async function enterPeople(registry: Registry, plan: Plan): Promise<readonly Person[]> {
  const people: Person[] = [];
  for (const planned of plan.people) people.push(await enterPerson(registry, planned, plan.startMs));
  return people;
}

async function enterPerson(
  { users, settings, filters }: Registry,
  planned: PlannedPerson,
  nowMs: number,
): Promise<Person> {
  const { name, dayEur, monthEur, purchasesPerDay, hasAddress } = planned;
  const identity = {
    provider: "sandbox",
    providerId: name,
    login: name,
    displayName: name,
    email: `${name}@example.org`,
    pictureUrl: null,
  } as const;
  const { user } = await users.signIn(identity, nowMs);
  await users.setPlan(user.id, planned.plan, null);
  await settings.change(
    user.id,
    {
      limits: { dayEur, monthEur, purchasesPerDay },
      address: hasAddress ? ADDRESS : EMPTY_ADDRESS,
      refreshToken: new Secret(`sandbox-${name}`),
    },
    nowMs,
  );
  for (const [index, filter] of planned.filters.entries())
    await filters.add(
      filterOf(filter, { id: `${name}-filter-${index}`, userId: user.id, nowMs }),
      MAX_FILTERS,
    );
  return { name, userId: user.id, planned };
}

function filterOf(
  planned: PlannedFilter,
  { id, userId, nowMs }: { readonly id: string; readonly userId: UserId; readonly nowMs: number },
): NewFilter {
  return {
    ...openCriteria,
    ...planned,
    id: asFilterId(id),
    userId,
    tag: id,
    info: "",
    isActive: true,
    isAutobuy: true,
    isPrivate: false,
    alertMode: "none",
    alertMaxPerHour: 1,
    createdAtMs: nowMs,
    rules: NO_RULES,
    activatedAtMs: nowMs,
    autobuySinceMs: nowMs,
  };
}
