import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { z } from "zod";
import { auditEntries } from "#store/schema/tables.ts";
import { A_MOMENT_MS, FakeClock } from "#verify/testing/fake-clock.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { readConfig } from "../config.ts";
import { exportPerson } from "./personal-data.ts";

const exported = z.object({ audit: z.array(z.unknown()), cut: z.array(z.string()).optional() });

/** More entries than frequent buying produces in a year. */
const MANY = 10_500;

test("an export holds all that a busy year leaves in the audit log", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const identity = { provider: "sandbox", providerId: "1", login: "zoe", displayName: "Zoé" } as const;
  const { user } = await store.users.signIn({ ...identity, email: "", pictureUrl: null }, A_MOMENT_MS);
  await store.db.execute(sql`
    insert into ${auditEntries} (at_ms, kind, user_id, details)
    select ${A_MOMENT_MS}::bigint + n, 'purchase.failed', ${user.id}, '{}'::json from generate_series(1, ${MANY}) as n`);
  const { config } = readConfig({});
  const { data } = await exportPerson({ name: "zoe" }, { store, config, clock: new FakeClock() });
  const { audit, cut } = exported.parse(data);
  expect(audit.length).toBeGreaterThanOrEqual(MANY);
  expect(cut).toBeUndefined();
});
