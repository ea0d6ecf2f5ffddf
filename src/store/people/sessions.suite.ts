import { createHash } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { asSessionId, type UserId } from "#domain/ids.ts";
import type { Session } from "../store.ts";
import { type StoreUnderTest, NOW_MS, aPersonOf } from "../suite-store.suite.ts";

export function describeSessions({ shared }: StoreUnderTest): void {
  describe("sessions", () => {
    const at = shared;

    test("a session is found with its person's current data until it is ended", async () => {
      const user = await aPersonOf(at());
      const session = aSession("found", user.id);
      await at().sessions.create(session);
      expect(await at().sessions.find(session.id)).toEqual({ session, user });
      await at().users.setPlan(user.id, "seeker", null);
      expect(await at().sessions.find(session.id)).toMatchObject({ user: { plan: "seeker" } });
      expect(await at().sessions.end(session.id, NOW_MS)).toEqual({ isEnded: true, deviceOwners: [] });
      expect(await at().sessions.find(session.id)).toBeNull();
      expect(await at().sessions.end(session.id, NOW_MS)).toEqual({ isEnded: false, deviceOwners: [] });
    });

    test("statuses are returned for existing sessions only, with the current plan and suspension", async () => {
      const [one, other] = [await aPersonOf(at()), await aPersonOf(at())];
      const [first, second] = [aSession("standing-1", one.id), aSession("standing-2", other.id)];
      await at().sessions.create(first);
      await at().sessions.create(second);
      await at().users.setPlan(other.id, "thunder", NOW_MS + 5);
      const asked = [first.id, second.id, asSessionId("unknown"), asSessionId("\u0000")];
      const statuses = await at().sessions.statuses(asked);
      expect(statuses.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
        {
          id: first.id,
          userId: one.id,
          userKey: md5(one.id),
          createdAtMs: first.createdAtMs,
          lastSeenAtMs: first.lastSeenAtMs,
          plan: one.plan,
          planEndsAtMs: null,
          isSuspended: false,
        },
        {
          id: second.id,
          userId: other.id,
          userKey: md5(other.id),
          createdAtMs: second.createdAtMs,
          lastSeenAtMs: second.lastSeenAtMs,
          plan: "thunder",
          planEndsAtMs: NOW_MS + 5,
          isSuspended: false,
        },
      ]);
      expect(await at().sessions.statuses([])).toEqual([]);
    });

    test("many concurrent look-ups of sessions cost a few queries", async () => {
      const user = await aPersonOf(at());
      const session = aSession("crowd", user.id);
      await at().sessions.create(session);
      const asking = vi.spyOn(at().db, "select");
      const found = await Promise.all(
        Array.from({ length: 500 }, async (_, n) => {
          const id = n % 2 === 0 ? session.id : asSessionId(`unknown-${n}`);
          return await at().sessions.find(id);
        }),
      );
      expect(asking.mock.calls.length).toBeLessThan(5);
      asking.mockRestore();
      expect(found.filter((each) => each !== null)).toEqual(
        Array.from({ length: 250 }, () => ({ session, user })),
      );
    });

    test("an unknown id finds no session", async () => {
      expect(await at().sessions.find(asSessionId("unknown"))).toBeNull();
      expect(await at().sessions.find(asSessionId("\u0000"))).toBeNull();
    });

    test("touching updates only the time of last use, and only of the given sessions", async () => {
      const user = await aPersonOf(at());
      const [session, second] = [aSession("touched", user.id), aSession("touched too", user.id)];
      const third = aSession("left alone", user.id);
      for (const each of [session, second, third]) await at().sessions.create(each);
      await at().sessions.touch(
        [session.id, second.id, asSessionId("nobody's"), asSessionId("\u0000")],
        NOW_MS + 9,
      );
      const found = await at().sessions.ofUser(user.id);
      expect(new Set(found)).toEqual(
        new Set([{ ...session, lastSeenAtMs: NOW_MS + 9 }, { ...second, lastSeenAtMs: NOW_MS + 9 }, third]),
      );
    });

    test("a person's sessions come oldest first and end together", async () => {
      const [one, other] = [await aPersonOf(at()), await aPersonOf(at())];
      const second = aSession("b", one.id, { createdAtMs: NOW_MS + 2 });
      const first = aSession("c", one.id, { createdAtMs: NOW_MS + 1 });
      const foreign = aSession("d", other.id);
      for (const session of [second, first, foreign]) await at().sessions.create(session);
      expect(await at().sessions.ofUser(one.id)).toEqual([first, second]);
      expect(new Set(await at().sessions.endAll(one.id, NOW_MS))).toEqual(new Set([first.id, second.id]));
      expect(await at().sessions.ofUser(one.id)).toEqual([]);
      expect(await at().sessions.ofUser(other.id)).toEqual([foreign]);
    });

    test("status changes name the people concerned: a plan, a suspension, the end of a session", async () => {
      const people = [
        await aPersonOf(at()),
        await aPersonOf(at()),
        await aPersonOf(at()),
        await aPersonOf(at()),
      ];
      const [planned, suspended, left, quiet] = people.map(({ id }) => id) as [
        UserId,
        UserId,
        UserId,
        UserId,
      ];
      const session = aSession("leaving-now", left);
      const idle = aSession("quietly-touched", quiet);
      for (const each of [session, idle]) await at().sessions.create(each);
      const { mark } = await at().sessions.statusChanges(null);
      const among = async (from: string): Promise<readonly UserId[]> => {
        const { userKeys } = await at().sessions.statusChanges(from);
        return people.flatMap(({ id }) => (userKeys.has(md5(id)) ? [id] : [])).toSorted();
      };
      expect(await among(mark)).toEqual([]);
      await at().users.setPlan(planned, "thunder", null);
      await at().users.setSuspended(suspended, true);
      await at().sessions.end(session.id, NOW_MS);
      await at().sessions.touch([idle.id], NOW_MS + 1);
      expect(await among(mark)).toEqual([planned, suspended, left].toSorted());
      const later = await at().sessions.statusChanges(mark);
      expect(await among(later.mark)).toEqual([]);
      expect((await at().sessions.statusChanges(null)).userKeys.size).toBe(0);
    });

    test("pruning deletes idle and old sessions and keeps the rest", async () => {
      const user = await aPersonOf(at());
      const idle = aSession("idle", user.id, { createdAtMs: NOW_MS, lastSeenAtMs: NOW_MS - 101 });
      const old = aSession("old", user.id, { createdAtMs: NOW_MS - 1_001, lastSeenAtMs: NOW_MS });
      const good = aSession("good", user.id, { createdAtMs: NOW_MS - 1_000, lastSeenAtMs: NOW_MS - 100 });
      for (const session of [idle, old, good]) await at().sessions.create(session);
      await at().sessions.prune(NOW_MS - 100, NOW_MS - 1_000);
      expect(await at().sessions.ofUser(user.id)).toEqual([good]);
    });
  });
}

const md5 = (text: string): string => createHash("md5").update(text).digest("hex");

function aSession(name: string, userId: UserId, traits: Partial<Session> = {}): Session {
  return {
    id: asSessionId(`session-${name}`),
    userId,
    createdAtMs: NOW_MS,
    lastSeenAtMs: NOW_MS,
    device: "Firefox sur Linux",
    ...traits,
  };
}
