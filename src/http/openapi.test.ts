import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { calls } from "#contract/calls.ts";
import * as z from "zod/mini";
import { errorAnswer } from "#contract/envelope.ts";

const FILE = new URL("../../docs/openapi.json", import.meta.url);

/** After a deliberate change, `vitest run src/http/openapi.test.ts -u` rewrites the file. */
test("docs/openapi.json is what the contract says", async () => {
  await expect(`${JSON.stringify(describeApi(), null, 2)}\n`).toMatchFileSnapshot(FILE.pathname);
});

test("the page names every call and holds no schema that is a riddle", async () => {
  const text = await readFile(FILE, "utf8");
  for (const name of Object.keys(calls)) expect(text).toContain(`"operationId": "${name}"`);
  expect(text).not.toContain('"schema": {}');
});

/** The contract's calls as an OpenAPI 3.1 document, generated from the schemas that validate them. */

interface Call {
  readonly method: string;
  readonly path: string;
  readonly query?: z.ZodMiniObject;
  readonly body?: z.ZodMiniType;
  readonly answer: z.ZodMiniType;
}

const SESSION = "session";

/** The meaning of each refusal, for all calls (contract §3). */
const REFUSALS: Readonly<Record<string, string>> = {
  400: "Bad input: the sentence names the field.",
  401: "No session.",
  403: "Level, plan or origin.",
  404: "Absent, or somebody else's.",
  405: "Another method; Allow names it.",
  409: "Conflict: already bought, sold, limit reached.",
  413: "A body above 64 KB; sellers to block 256 KB, a file of filters 512 KB.",
  415: "A body that is not JSON.",
  421: "Another host than the public one.",
  429: "Too often; Retry-After says when.",
};

/** Pure: the same contract gives the same document. */
function describeApi(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, call] of Object.entries<Call>(calls)) {
    paths[call.path] = { ...paths[call.path], [call.method.toLowerCase()]: describeCall(name, call) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Synapse",
      version: "1",
      description:
        "The calls of the product's own pages. Errors are French sentences for people; /filtres adds success: false.",
    },
    paths,
    components: {
      responses: Object.fromEntries(
        Object.entries(REFUSALS).map(([status, meaning]) => [status, refusal(meaning)]),
      ),
      schemas: { Refusal: jsonSchema(errorAnswer, "output") },
      securitySchemes: { [SESSION]: { type: "apiKey", in: "cookie", name: "__Host-sid" } },
    },
    security: [{ [SESSION]: [] }],
  };
}

function describeCall(name: string, call: Call): object {
  return {
    operationId: name,
    ...(call.query === undefined ? {} : { parameters: parametersOf(call.query) }),
    ...(call.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { "application/json": { schema: jsonSchema(call.body, "input") } },
          },
        }),
    responses: {
      200: {
        description: "Done.",
        content: { "application/json": { schema: jsonSchema(call.answer, "output") } },
      },
      ...Object.fromEntries(
        Object.keys(REFUSALS).map((status) => [status, { $ref: `#/components/responses/${status}` }]),
      ),
    },
  };
}

function refusal(description: string): object {
  return {
    description,
    content: { "application/json": { schema: { $ref: "#/components/schemas/Refusal" } } },
  };
}

function parametersOf(query: NonNullable<Call["query"]>): readonly object[] {
  return Object.entries(query.shape).map(([name, schema]) => ({
    name,
    in: "query",
    required: false,
    schema: jsonSchema(schema, "input"),
  }));
}

/** input: as sent, where defaults may be omitted; output: as answered. */
function jsonSchema(schema: z.core.$ZodType, io: "input" | "output"): object {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { target: "draft-2020-12", io });
  return described;
}
