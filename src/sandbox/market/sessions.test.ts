import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wireTokens } from "#marketplace/wire.ts";
import { openShop, refusalOf, type Received, type Shop } from "../shop.suite.ts";

let shop: Shop;

beforeAll(async () => {
  shop = await openShop();
});

afterAll(async () => {
  await shop[Symbol.asyncDispose]();
});

const refresh = async (token: string): Promise<Received> =>
  await shop.send({ method: "POST", path: "/web/api/auth/refresh", body: { refresh_token: token } });
const tokensOf = (received: Received) => wireTokens.parse(received.json);
const ordersWith = async (access: string): Promise<number> =>
  (await shop.send({ path: "/api/v2/my_orders", access })).status;

describe("a refresh token", () => {
  test("is exchanged for a new pair, repeatedly", async () => {
    const first = tokensOf(await refresh("sandbox-rotation"));
    const second = tokensOf(await refresh(first.refresh_token));
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(second.access_token).not.toBe(first.access_token);
    expect(second.expires_in).toBe(7_200);
    expect(await ordersWith(second.access_token)).toBe(200);
  });

  test("that is reused revokes its family", async () => {
    const first = tokensOf(await refresh("sandbox-theft"));
    const second = tokensOf(await refresh(first.refresh_token));
    expect(refusalOf(await refresh(first.refresh_token))).toBe("401 invalid_refresh_token");
    expect(refusalOf(await refresh(second.refresh_token))).toBe("401 invalid_refresh_token");
    expect(await ordersWith(second.access_token)).toBe(401);
  });

  test("of a name always starts a new session and leaves other families alone", async () => {
    const first = tokensOf(await refresh("sandbox-anew"));
    const second = tokensOf(await refresh("sandbox-anew"));
    expect((await refresh(first.refresh_token)).status).toBe(200);
    expect((await refresh(second.refresh_token)).status).toBe(200);
    await refresh(first.refresh_token);
    expect((await refresh("sandbox-anew")).status).toBe(200);
  });

  test("that was never issued is refused", async () => {
    for (const token of ["nonsense", "sandbox-", "sandbox-Léa", "sandbox-A B", `sandbox-${"x".repeat(65)}`]) {
      expect(refusalOf(await refresh(token)), token).toBe("401 invalid_refresh_token");
    }
    expect(refusalOf(await refresh(""))).toBe("400 invalid_request");
  });

  test("whose reply was lost may be used once more", async () => {
    const first = tokensOf(await refresh("sandbox-unlucky"));
    await shop.arm("refresh_lost", { count: 1 });
    await expect(refresh(first.refresh_token)).rejects.toThrow();
    const second = tokensOf(await refresh(first.refresh_token));
    expect((await refresh(second.refresh_token)).status).toBe(200);
    expect(refusalOf(await refresh(first.refresh_token))).toBe("401 invalid_refresh_token");
  });
});

describe("an access token", () => {
  test("ends after two hours", async () => {
    const { access_token: access } = tokensOf(await refresh("sandbox-clock"));
    await shop.clock.advance(7_199_000);
    expect(await ordersWith(access)).toBe(200);
    await shop.clock.advance(2_000);
    expect(await ordersWith(access)).toBe(401);
  });

  test("is invalid when forged, modified or missing", async () => {
    const { access_token: access } = tokensOf(await refresh("sandbox-forged"));
    const [header = "", payload = "", signature = ""] = access.split(".");
    const other = Buffer.from(
      Buffer.from(payload, "base64url")
        .toString("utf8")
        .replace(/"sub":\d+/, '"sub":1'),
    ).toString("base64url");
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString("base64url");
    const forgeries = [
      `${header}.${other}.${signature}`,
      `${none}.${payload}.`,
      `${header}.${payload}`,
      "x.y.z",
      "null",
    ];
    for (const forgery of forgeries) expect(await ordersWith(forgery), forgery).toBe(401);
    const bare = await shop.send({ path: "/api/v2/my_orders" });
    expect(refusalOf(bare)).toBe("401 invalid_authentication_token");
    expect(bare.json).toMatchObject({ code: 100 });
  });
});
