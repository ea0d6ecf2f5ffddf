import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { openShop, type Received, type Shop } from "../shop.suite.ts";

let shop: Shop;

beforeAll(async () => {
  shop = await openShop({ publicUrl: "http://sandbox.localhost:4001/" });
});

afterAll(async () => {
  await shop[Symbol.asyncDispose]();
});

const REDIRECT_URI = "http://localhost:3000/auth/discord/callback";
const verifier = randomBytes(32).toString("base64url");
const challenge = createHash("sha256").update(verifier).digest("base64url");

async function authorise(changes: Readonly<Record<string, string | null>> = {}): Promise<Received> {
  const parameters: Record<string, string | null> = {
    response_type: "code",
    client_id: "synapse",
    redirect_uri: REDIRECT_URI,
    scope: "identify email",
    state: "a state",
    code_challenge: challenge,
    code_challenge_method: "S256",
    persona: "thunder-lea",
    ...changes,
  };
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === null ? [] : [[name, value]],
  );
  return await shop.send({ path: `/discord/oauth2/authorize?${new URLSearchParams(given).toString()}` });
}

const returned = (received: Received): URLSearchParams =>
  new URL(received.headers.get("location") ?? "").searchParams;
const codeOf = async (): Promise<string> => returned(await authorise()).get("code") ?? "";

async function exchange(code: string, changes: Readonly<Record<string, string>> = {}): Promise<Received> {
  const form = {
    grant_type: "authorization_code",
    code,
    client_id: "synapse",
    client_secret: "any",
    redirect_uri: REDIRECT_URI,
    code_verifier: verifier,
    ...changes,
  };
  return await shop.send({
    method: "POST",
    path: "/discord/api/oauth2/token",
    body: new URLSearchParams(form).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
}

const tokenOf = (received: Received): string =>
  z.object({ access_token: z.string() }).parse(received.json).access_token;

describe("signing in", () => {
  test("redirects with code and state, and the code leads to a profile", async () => {
    const received = await authorise();
    expect(received.status).toBe(302);
    expect(received.headers.get("location")).toMatch(/^http:\/\/localhost:3000\/auth\/discord\/callback\?/);
    expect(returned(received).get("state")).toBe("a state");
    const access = tokenOf(await exchange(returned(received).get("code") ?? ""));
    const profile = await shop.send({ path: "/discord/api/users/@me", access });
    expect(profile.json).toEqual({
      id: expect.stringMatching(/^\d{17,20}$/) as string,
      username: "thunder-lea",
      global_name: "Thunder Lea",
      email: "thunder-lea@personnes.example",
      verified: true,
      avatar: expect.stringMatching(/^http:\/\/sandbox\.localhost:4001\/avatars\/\d+\.svg$/) as string,
    });
  });

  test("the profile is determined by the name", async () => {
    const idOf = async (persona: string): Promise<unknown> => {
      const code = returned(await authorise({ persona })).get("code") ?? "";
      const profile = await shop.send({
        path: "/discord/api/users/@me",
        access: tokenOf(await exchange(code)),
      });
      return z.object({ id: z.string() }).parse(profile.json).id;
    };
    expect(await idOf("nouveau")).toBe(await idOf("nouveau"));
    expect(await idOf("nouveau")).not.toBe(await idOf("nouvelle"));
  });

  test("the page without a name offers accounts of every plan", async () => {
    const page = await authorise({ persona: null });
    expect(page.status).toBe(200);
    for (const name of ["seeker-camille", "acquire-nora", "thunder-lea", "nouveau-sam"])
      expect(page.text).toContain(name);
    const link = /href="(\?[^"]*persona=acquire-nora[^"]*)"/.exec(page.text)?.[1] ?? "";
    const followed = await shop.send({ path: `/discord/oauth2/authorize${link.replaceAll("&amp;", "&")}` });
    expect(returned(followed).get("code")).toBeTruthy();
    const refusing = /href="(\?[^"]*refuse=1[^"]*)"/.exec(page.text)?.[1] ?? "";
    const refused = await shop.send({
      path: `/discord/oauth2/authorize${refusing.replaceAll("&amp;", "&")}`,
    });
    expect(returned(refused).get("error")).toBe("access_denied");
    expect(returned(refused).get("state")).toBe("a state");
  });

  test("an invalid name is asked for again, escaped", async () => {
    const page = await authorise({ persona: '"><script>alert(1)</script>' });
    expect(page.status).toBe(400);
    expect(page.text).not.toContain("<script>");
    expect(page.text).toContain("&lt;script&gt;");
  });
});

describe("a request is refused", () => {
  test("on a page when the redirect URI is not allowed", async () => {
    const refusedUris = [
      "https://evil.example/auth/discord/callback",
      "http://localhost.evil.example/auth/discord/callback",
      "http://localhost:3000/elsewhere",
      "http://localhost:3000/auth/discord/callback#x",
      "javascript:alert(1)",
      "nonsense",
    ];
    for (const redirect_uri of refusedUris) {
      const received = await authorise({ redirect_uri });
      expect(received.status, redirect_uri).toBe(400);
      expect(received.headers.get("location")).toBeNull();
    }
    expect((await authorise({ redirect_uri: null })).status).toBe(400);
  });

  test("with a redirect when its parameters are invalid", async () => {
    const faults: readonly (readonly [Record<string, string | null>, string])[] = [
      [{ response_type: "token" }, "unsupported_response_type"],
      [{ code_challenge: null }, "invalid_request"],
      [{ code_challenge_method: "plain" }, "invalid_request"],
      [{ state: null }, "invalid_request"],
      [{ client_id: "" }, "invalid_request"],
      [{ scope: "identify guilds" }, "invalid_scope"],
    ];
    for (const [changes, error] of faults) {
      const received = await authorise(changes);
      expect(received.status).toBe(302);
      expect(returned(received).get("error"), error).toBe(error);
      expect(returned(received).get("code")).toBeNull();
    }
  });

  test("any client id is accepted from a loopback product", async () => {
    for (const redirect_uri of [
      "http://127.0.0.1:8080/auth/discord/callback",
      "http://[::1]:9/auth/discord/callback",
    ]) {
      expect((await authorise({ redirect_uri, client_id: "anything" })).status, redirect_uri).toBe(302);
    }
  });
});

describe("a code", () => {
  test("is exchanged once", async () => {
    const code = await codeOf();
    expect((await exchange(code)).status).toBe(200);
    expect((await exchange(code)).json).toEqual({ error: "invalid_grant" });
  });

  test("needs the same client, redirect URI and PKCE verifier", async () => {
    const wrongParameters: readonly Record<string, string>[] = [
      { code_verifier: randomBytes(32).toString("base64url") },
      { code_verifier: "" },
      { code_verifier: challenge },
      { client_id: "somebody" },
      { redirect_uri: "http://localhost:4000/auth/discord/callback" },
      { grant_type: "password" },
    ];
    for (const parameters of wrongParameters) {
      const code = await codeOf();
      expect((await exchange(code, parameters)).status, JSON.stringify(parameters)).toBe(400);
    }
    // A failed exchange ends the code as well.
    const code = await codeOf();
    await exchange(code, { code_verifier: "wrong" });
    expect((await exchange(code)).status).toBe(400);
  });

  test("expires after a minute", async () => {
    const code = await codeOf();
    await shop.clock.advance(60_001);
    expect((await exchange(code)).status).toBe(400);
  });
});

test("a profile needs a token", async () => {
  expect((await shop.send({ path: "/discord/api/users/@me" })).status).toBe(401);
  expect((await shop.send({ path: "/discord/api/users/@me", access: "x" })).status).toBe(401);
});

test("only the redirects that its options allow are accepted", async () => {
  const named = await openShop({
    isAllowedRedirect: ({ href }) => href === "https://synapse.example/auth/discord/callback",
  });
  const ask = async (redirectUri: string): Promise<number> => {
    const query = new URLSearchParams({
      response_type: "code",
      client_id: "synapse",
      redirect_uri: redirectUri,
      scope: "identify",
      state: "s",
      code_challenge: challenge,
      code_challenge_method: "S256",
      persona: "x",
    });
    return (await named.send({ path: `/discord/oauth2/authorize?${query.toString()}` })).status;
  };
  expect(await ask("https://synapse.example/auth/discord/callback")).toBe(302);
  expect(await ask(REDIRECT_URI)).toBe(400);
  await named[Symbol.asyncDispose]();
});
