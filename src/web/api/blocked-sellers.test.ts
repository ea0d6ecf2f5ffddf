import { afterEach, describe, expect, test, vi } from "vitest";
import "./panel-answers.ts";
import { blockCheckOf, blockMutation, unblockMutation } from "./blocked-sellers.ts";
import { oldLoginsOf } from "./send-old-list.ts";
import { createQueryClient } from "./query-client.ts";
import { queries } from "./queries.ts";

const seller = (id: number | null, login: string) => ({ id, login, photo: null });

afterEach(() => {
  vi.unstubAllGlobals();
});

test("a seller is recognised by id, and by login where an id is unknown", () => {
  const isBlocked = blockCheckOf([
    { id: 7, login: "lea75", depuis: 1 },
    { id: null, login: "Tom", depuis: 1 },
  ]);
  expect(isBlocked(seller(7, "lea_nouvelle"))).toBe(true);
  expect(isBlocked(seller(8, "lea75"))).toBe(false);
  expect(isBlocked(seller(8, "tOM"))).toBe(true);
  expect(isBlocked(seller(null, "LEA75"))).toBe(true);
  expect(isBlocked(seller(null, "zoe"))).toBe(false);
  expect(blockCheckOf([])(seller(null, ""))).toBe(false);
});

test("the old list is read as logins that the server takes, each once, the latest when there are too many", () => {
  expect(oldLoginsOf(["lea", 3, "", " ", "tom", "lea", "x".repeat(101)])).toEqual(["lea", "tom"]);
  const many = Array.from({ length: 400 }, (_, index) => `v${index}`);
  const kept = oldLoginsOf(many);
  expect([kept.length, kept.at(0), kept.at(-1)]).toEqual([300, "v100", "v399"]);
  expect(oldLoginsOf(undefined)).toEqual([]);
  expect(oldLoginsOf({ lea: true })).toEqual([]);
});

describe("two sellers blocked one after the other, before the first answer", () => {
  const [lea, tom] = [seller(7, "lea75"), seller(8, "tom")];
  const [blockedLea, blockedTom] = [lea, tom].map(({ id, login }) => ({ id, login, depuis: 1 }));

  function press() {
    const client = createQueryClient();
    const answers: ((answer: Response) => void)[] = [];
    vi.stubGlobal("fetch", async () => await new Promise<Response>((resolve) => answers.push(resolve)));
    const [first, second] = [lea, tom].map((one) =>
      client
        .getMutationCache()
        .build(client, blockMutation(client))
        .execute(one)
        .catch(() => undefined),
    );
    return {
      first: { answer: (body: Response) => answers[0]?.(body), isOver: first },
      second: { answer: (body: Response) => answers[1]?.(body), isOver: second },
      areSent: async () => await expect.poll(() => answers.length).toBe(2),
      blocked: () => client.getQueryData(queries.blockedSellers.queryKey)?.map(({ login }) => login),
    };
  }

  const onlyLea = () => Response.json({ success: true, message: "", vendeurs: [blockedLea] });
  const both = () => Response.json({ success: true, message: "", vendeurs: [blockedTom, blockedLea] });

  test.each(["first", "second"] as const)(
    "both stay blocked when the %s answer comes first",
    async (which) => {
      const { first, second, areSent, blocked } = press();
      await areSent();
      const answers = [
        async () => {
          first.answer(onlyLea());
          await first.isOver;
        },
        async () => {
          second.answer(both());
          await second.isOver;
        },
      ];
      for (const answer of which === "first" ? answers : answers.toReversed()) {
        await answer();
        expect(blocked()).toEqual(["tom", "lea75"]);
      }
    },
  );

  test("a late failure of the first unblocks only the first", async () => {
    const { first, second, areSent, blocked } = press();
    await areSent();
    first.answer(Response.json({ success: false, error: "Non." }, { status: 409 }));
    await first.isOver;
    expect(blocked()).toEqual(["tom"]);
    second.answer(Response.json({ success: true, message: "", vendeurs: [blockedTom] }));
    await second.isOver;
    expect(blocked()).toEqual(["tom"]);
  });
});

test("a seller who is unblocked stays so although an older read of the list is answered later", async () => {
  const client = createQueryClient();
  const lea = { id: 7, login: "lea75", depuis: 1 };
  const { promise: isAnswered, resolve: answer } = Promise.withResolvers<Response>();
  vi.stubGlobal("fetch", async (path: string) =>
    path.endsWith("/bloques")
      ? await isAnswered
      : Response.json({ success: true, message: "", vendeurs: [] }),
  );
  const read = client.fetchQuery(queries.blockedSellers).catch(() => undefined);
  await client.getMutationCache().build(client, unblockMutation(client)).execute(lea.login);
  answer(Response.json({ vendeurs: [lea] }));
  await read;
  expect(client.getQueryData(queries.blockedSellers.queryKey)).toEqual([]);
});

test("the late answer to a block does not bring back another seller who was unblocked meanwhile", async () => {
  const client = createQueryClient();
  const [lea, tom] = [7, 8].map((id) => ({ id, login: `v${id}`, depuis: 1 }));
  client.setQueryData(
    queries.blockedSellers.queryKey,
    [lea, tom].slice(0, 1).flatMap((one) => one ?? []),
  );
  const { promise: isAnswered, resolve: answer } = Promise.withResolvers<Response>();
  vi.stubGlobal("fetch", async (path: string) =>
    path.endsWith("/bloquer")
      ? await isAnswered
      : Response.json({ success: true, message: "", vendeurs: [tom] }),
  );
  const block = client.getMutationCache().build(client, blockMutation(client)).execute(seller(8, "v8"));
  await client.getMutationCache().build(client, unblockMutation(client)).execute("v7");
  answer(Response.json({ success: true, message: "", vendeurs: [tom, lea] }));
  await block;
  expect(client.getQueryData(queries.blockedSellers.queryKey)?.map(({ login }) => login)).toEqual(["v8"]);
});

test("unblocking one seller keeps another hidden whose block is under way", async () => {
  const client = createQueryClient();
  client.setQueryData(queries.blockedSellers.queryKey, [
    { id: 8, login: "tom", depuis: 2 },
    { id: 7, login: "lea75", depuis: 1 },
  ]);
  vi.stubGlobal("fetch", async () => Response.json({ success: true, message: "", vendeurs: [] }));
  await client.getMutationCache().build(client, unblockMutation(client)).execute("lea75");
  expect(client.getQueryData(queries.blockedSellers.queryKey)?.map(({ login }) => login)).toEqual(["tom"]);
});
