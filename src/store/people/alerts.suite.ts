import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { asPurchaseId } from "#domain/ids.ts";
import { Secret } from "#domain/secret.ts";
import { aPersonOf, NOW_MS, rowsOf, type StoreUnderTest } from "../suite-store.suite.ts";

const WEBHOOK = new Secret(`123456789012345678/${"k".repeat(64)}`);

export function describeAlerts({ shared }: StoreUnderTest): void {
  describe("alerts", () => {
    it("a webhook is the person's own, replaced and taken away, and sealed in its row", async () => {
      const store = shared();
      const [person, other] = [await aPersonOf(store), await aPersonOf(store)];
      expect(await store.alerts.webhook(person.id)).toBeNull();
      await store.alerts.setWebhook(person.id, new Secret("first"));
      await store.alerts.setWebhook(person.id, WEBHOOK);
      expect((await store.alerts.webhook(person.id))?.reveal()).toBe(WEBHOOK.reveal());
      expect(await store.alerts.webhook(other.id)).toBeNull();
      const [row] = await rowsOf(
        store,
        sql`select encode(sealed_webhook, 'escape') as text from discord_webhooks where user_id = ${person.id}`,
      );
      expect(row?.["text"]).toBeTypeOf("string");
      expect(row?.["text"]).not.toContain("kkkk");
      await store.alerts.setWebhook(person.id, null);
      expect(await store.alerts.webhook(person.id)).toBeNull();
    });

    it("one state of a purchase is claimed once, however many ask at a time", async () => {
      const store = shared();
      const person = await aPersonOf(store);
      const alert = {
        purchaseId: asPurchaseId(`told-${person.id}`),
        userId: person.id,
        state: "confirmed",
        nowMs: NOW_MS,
      } as const;
      const claims = await Promise.all(Array.from({ length: 10 }, () => store.alerts.claim(alert)));
      expect(claims.filter(Boolean)).toHaveLength(1);
      expect(await store.alerts.claim({ ...alert, state: "quarantine" })).toBe(true);
    });

    it("of a person who is gone nothing is kept or written", async () => {
      const store = shared();
      const person = await aPersonOf(store);
      const alert = { userId: person.id, state: "failed", nowMs: NOW_MS } as const;
      await store.alerts.setWebhook(person.id, WEBHOOK);
      await store.alerts.claim({ ...alert, purchaseId: asPurchaseId("before") });
      await store.users.erase(person.id);
      await store.alerts.setWebhook(person.id, WEBHOOK);
      expect(await store.alerts.webhook(person.id)).toBeNull();
      expect(await store.alerts.claim({ ...alert, purchaseId: asPurchaseId("after") })).toBe(false);
      for (const table of ["discord_webhooks", "told_alerts"])
        expect(
          await rowsOf(store, sql`select 1 from ${sql.identifier(table)} where user_id = ${person.id}`),
        ).toEqual([]);
    });
  });
}
