import { describe, expect, test } from "vitest";
import { type UserId, asUserId } from "#domain/ids.ts";
import { Secret } from "#domain/secret.ts";
import type { OpenStore } from "../open-store.ts";
import { aProposal } from "../purchases/purchases-under-test.suite.ts";
import { type StoreUnderTest, NOW_MS, aPersonOf } from "../suite-store.suite.ts";

export function describeAccounts({ shared }: StoreUnderTest): void {
  describe("marketplace accounts", () => {
    const at = shared;

    test("a connected account has its refresh token and no access token yet", async () => {
      const userId = await aConnected(at());
      const tokens = await at().accounts.tokens(userId);
      expect(tokens?.refreshToken.reveal()).toBe("refresh-1");
      expect(tokens).toMatchObject({
        accessToken: null,
        accessExpiresAtMs: 0,
        generation: 1,
        state: "connected",
        connectedAtMs: NOW_MS,
        ordersSinceMs: NOW_MS,
      });
      expect(await at().accounts.tokens((await aPersonOf(at())).id)).toBeNull();
      expect(await at().accounts.connectedUserIds()).toContain(userId);
    });

    test("of many concurrent claims to refresh one succeeds", async () => {
      const userId = await aConnected(at());
      const claims = await Promise.all(
        Array.from({ length: 6 }, (_, n) => at().accounts.claimRefresh(userId, aClaim(`node-${n}`))),
      );
      expect(claims.filter(({ kind }) => kind === "claimed")).toHaveLength(1);
    });

    test("a claim ends when its holder releases it, or when another process has seen it abandoned", async () => {
      const userId = await aConnected(at());
      const claim = aClaim("first");
      expect(await at().accounts.claimRefresh(userId, claim)).toEqual(CLAIMED);
      await at().accounts.releaseRefresh(userId, "somebody else");
      const { owner, untilMs } = claim;
      const held = { kind: "held", by: { owner, untilMs } };
      expect(await at().accounts.claimRefresh(userId, aClaim("second"))).toEqual(held);
      await at().accounts.releaseRefresh(userId, "first");
      expect(await at().accounts.claimRefresh(userId, aClaim("second"))).toEqual(CLAIMED);
      // Another claim has followed the one that was seen: the current one is not abandoned.
      const third = aClaim("third");
      expect(await at().accounts.claimRefresh(userId, { ...third, abandoned: claim })).toMatchObject({
        kind: "held",
        by: { owner: "second" },
      });
      const anotherTime = { ...aClaim("second"), untilMs: untilMs + 1 };
      expect(await at().accounts.claimRefresh(userId, { ...third, abandoned: anotherTime })).toMatchObject({
        kind: "held",
      });
      const abandoned = aClaim("second");
      expect(await at().accounts.claimRefresh(userId, { ...third, abandoned })).toEqual(CLAIMED);
    });

    test("a sole process releases the claims of earlier processes", async () => {
      const userId = await aConnected(at());
      await at().accounts.claimRefresh(userId, aClaim("before"));
      await at().purchases.endForeignLeases("before", NOW_MS);
      expect(await at().accounts.claimRefresh(userId, aClaim("now"))).toMatchObject({ kind: "held" });
      await at().purchases.endForeignLeases("now", NOW_MS);
      expect(await at().accounts.claimRefresh(userId, aClaim("now"))).toEqual(CLAIMED);
    });

    test("a rotation is saved once for its generation and releases the claim", async () => {
      const userId = await aConnected(at());
      await at().accounts.claimRefresh(userId, aClaim("first"));
      expect(await at().accounts.saveRotation(userId, aRotation(1, "2"))).toBe(true);
      expect(await at().accounts.saveRotation(userId, aRotation(1, "late"))).toBe(false);
      const tokens = await at().accounts.tokens(userId);
      expect(tokens?.refreshToken.reveal()).toBe("refresh-2");
      expect(tokens?.accessToken?.reveal()).toBe("access-2");
      expect(tokens).toMatchObject({
        generation: 2,
        accessExpiresAtMs: NOW_MS + 60_000,
        connectedAtMs: NOW_MS,
        ordersSinceMs: NOW_MS,
      });
      expect(await at().accounts.claimRefresh(userId, aClaim("old", 1))).toEqual(MOVED_ON);
      expect(await at().accounts.claimRefresh(userId, aClaim("new", 2))).toEqual(CLAIMED);
      expect((await at().settings.get(userId)).account.tokenTail).toBe("sh-2");
    });

    test("a token that the person saves meanwhile wins over a rotation and a refusal under way", async () => {
      const userId = await aConnected(at());
      await at().accounts.claimRefresh(userId, aClaim("first"));
      await at().settings.change(userId, { refreshToken: new Secret("their-own") }, NOW_MS + 7);
      expect(await at().accounts.saveRotation(userId, aRotation(1, "2"))).toBe(false);
      await at().accounts.markRefused(userId, 1, NOW_MS);
      const tokens = await at().accounts.tokens(userId);
      expect(tokens?.refreshToken.reveal()).toBe("their-own");
      expect(tokens).toMatchObject({ state: "connected", generation: 2, connectedAtMs: NOW_MS + 7 });
      expect(await at().accounts.claimRefresh(userId, aClaim("next", 2))).toEqual(CLAIMED);
    });

    test("the current or the previous token saved again changes nothing", async () => {
      const userId = await aConnected(at());
      await at().accounts.saveRotation(userId, aRotation(1, "2"));
      // The first answer was lost, or the token is saved on another device: a used token would end the
      // session.
      for (const given of ["refresh-1", "refresh-2"])
        await at().settings.change(userId, { refreshToken: new Secret(given) }, NOW_MS + 7);
      const tokens = await at().accounts.tokens(userId);
      expect(tokens?.refreshToken.reveal()).toBe("refresh-2");
      expect(tokens?.accessToken?.reveal()).toBe("access-2");
      expect(tokens).toMatchObject({ generation: 2, connectedAtMs: NOW_MS });
    });

    test("a token saved again is accepted after the account was refused or disconnected", async () => {
      const userId = await aConnected(at());
      const again = { refreshToken: new Secret("refresh-1") };
      await at().accounts.markRefused(userId, 1, NOW_MS);
      await at().settings.change(userId, again, NOW_MS + 7);
      expect(await at().accounts.tokens(userId)).toMatchObject({ state: "connected", generation: 2 });
      await at().settings.change(userId, { refreshToken: null }, NOW_MS + 8);
      await at().settings.change(userId, again, NOW_MS + 9);
      expect(await at().accounts.tokens(userId)).toMatchObject({ generation: 4, connectedAtMs: NOW_MS + 9 });
    });

    test("orders made while the marketplace refused an account are still to be found, others only since it was connected", async () => {
      const userId = await aConnected(at());
      const since = async () => (await at().accounts.tokens(userId))?.ordersSinceMs;
      const save = async (token: string | null, nowMs: number) =>
        await at().settings.change(
          userId,
          { refreshToken: token === null ? null : new Secret(token) },
          nowMs,
        );
      await at().accounts.markRefused(userId, 1, NOW_MS + 5);
      await save("second", NOW_MS + 10);
      expect(await since()).toBe(NOW_MS);
      await at().accounts.markRefused(userId, 2, NOW_MS + 15);
      await save("third", NOW_MS + 20);
      expect(await since()).toBe(NOW_MS);
      expect(await at().accounts.tokens(userId)).toMatchObject({ connectedAtMs: NOW_MS + 20 });
      await save("replaced while connected", NOW_MS + 30);
      expect(await since()).toBe(NOW_MS + 30);
      await at().accounts.markRefused(userId, 4, NOW_MS + 35);
      await save(null, NOW_MS + 40);
      await save("again", NOW_MS + 50);
      expect(await since()).toBe(NOW_MS + 50);
    });

    test("a wait that the marketplace asked for is kept, and only a longer one takes its place", async () => {
      const userId = await aConnected(at());
      const other = await aConnected(at());
      const wait = async (id = userId) => (await at().accounts.tokens(id))?.askedToWaitUntilMs;
      expect(await wait()).toBe(0);
      for (const [untilMs, applies] of [
        [NOW_MS + 60_000, NOW_MS + 60_000],
        [NOW_MS + 5_000, NOW_MS + 60_000],
        [NOW_MS + 90_000, NOW_MS + 90_000],
      ] as const) {
        await at().accounts.askToWait(userId, untilMs);
        expect(await wait()).toBe(applies);
      }
      await at().accounts.saveRotation(userId, aRotation(1, "2"));
      await at().settings.change(userId, { refreshToken: new Secret("another") }, NOW_MS + 7);
      expect(await wait()).toBe(NOW_MS + 90_000);
      const [facts] = await at().purchases.facts([{ kind: "wish", ...aProposal({ id: userId }) }]);
      expect(facts?.tokens).toMatchObject({ askedToWaitUntilMs: NOW_MS + 90_000 });
      expect(await wait(other)).toBe(0);
    });

    test("generations keep increasing across a disconnection", async () => {
      const userId = await aConnected(at());
      await at().settings.change(userId, { refreshToken: null }, NOW_MS);
      expect(await at().accounts.saveRotation(userId, aRotation(1, "2"))).toBe(false);
      expect(await at().accounts.connectedUserIds()).not.toContain(userId);
      expect(await at().accounts.claimRefresh(userId, aClaim("first", 2))).toEqual(MOVED_ON);
      await at().settings.change(userId, { refreshToken: new Secret("again") }, NOW_MS);
      expect(await at().accounts.tokens(userId)).toMatchObject({ generation: 3, state: "connected" });
    });

    test("a refused account must be reconnected and is not refreshed any more", async () => {
      const userId = await aConnected(at());
      await at().accounts.saveRotation(userId, aRotation(1, "2"));
      await at().accounts.markRefused(userId, 1, NOW_MS);
      expect(await at().accounts.tokens(userId)).toMatchObject({ state: "connected" });
      await at().accounts.markRefused(userId, 2, NOW_MS);
      expect(await at().accounts.tokens(userId)).toMatchObject({ state: "reconnect", accessToken: null });
      expect((await at().settings.get(userId)).account).toEqual({ state: "reconnect", tokenTail: "sh-2" });
      expect(await at().accounts.connectedUserIds()).not.toContain(userId);
      expect(await at().accounts.claimRefresh(userId, aClaim("first", 2))).toEqual(MOVED_ON);
    });

    test("an erased person's rotation is saved nowhere", async () => {
      const userId = await aConnected(at());
      await at().users.erase(userId);
      expect(await at().accounts.saveRotation(userId, aRotation(1, "2"))).toBe(false);
      expect(await at().accounts.tokens(userId)).toBeNull();
      expect(await at().accounts.tokens(asUserId("nobody"))).toBeNull();
    });
  });
}

async function aConnected(store: OpenStore): Promise<UserId> {
  const { id } = await aPersonOf(store);
  await store.settings.change(id, { refreshToken: new Secret("refresh-1") }, NOW_MS);
  return id;
}

const aClaim = (owner: string, generation = 1) => ({
  generation,
  owner,
  untilMs: NOW_MS + 30_000,
  abandoned: null,
});

const CLAIMED = { kind: "claimed" };
const MOVED_ON = { kind: "moved_on" };

const aRotation = (generation: number, name: string) => ({
  generation,
  refreshToken: new Secret(`refresh-${name}`),
  accessToken: new Secret(`access-${name}`),
  accessExpiresAtMs: NOW_MS + 60_000,
});
