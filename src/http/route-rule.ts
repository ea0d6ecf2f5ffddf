import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { ZodMiniType } from "zod/mini";
import type { RequestKind } from "#auth/origin-guard.ts";
import { type Access, sessionMark, type Visitor } from "#auth/sessions.ts";
import type { RateClass } from "./rate-limits.ts";

/** Access to a route and its rate; a route without a rule prevents the start. */
export interface RouteRule {
  readonly access: Access;
  /** any: public, without personal data. */
  readonly origin: RequestKind | "any";
  /** Null: only the address's flood limit applies. */
  readonly rate: RateClass | null;
  /** For people with a session, the rate by what they send; checked once the body is read. */
  readonly rateOf?: (body: unknown) => RateClass;
  /** Whether one person's requests run one at a time (plugins/admission.ts); absent: if they are expensive. */
  readonly isInTurn?: boolean;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The person of the session, read for this request; null without a session. */
    visitor: Visitor | null;
  }
  interface FastifyContextConfig {
    rule?: RouteRule;
  }
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** The facts that every audit entry of a call has: session and request. */
export function auditFacts({ id, visitor }: Pick<FastifyRequest, "id" | "visitor">): {
  readonly request: string;
  readonly session: string | null;
} {
  return { request: id, session: visitor === null ? null : sessionMark(visitor.sessionId) };
}

/** The signed-in person, guaranteed by the route's rule. */
export function visitorOf(request: Pick<FastifyRequest, "visitor">): Visitor {
  if (request.visitor === null) throw new Error("a route that needs a session was reached without one");
  return request.visitor;
}

interface Call {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly query?: ZodMiniType;
  readonly body?: ZodMiniType;
  readonly answer: ZodMiniType;
}

type SchemaOf<One extends Call> = { readonly response: { readonly 200: One["answer"] } } & (One extends {
  readonly body: infer Body;
}
  ? { readonly body: Body }
  : unknown) &
  (One extends { readonly query: infer Query } ? { readonly querystring: Query } : unknown);

/** A call of the contract as a route: address, schemas and rule. */
export function routeOf<One extends Call>(call: One, rule: RouteRule) {
  const { method, path: url, query: querystring, body, answer } = call;
  const schema = {
    response: { 200: answer },
    ...(querystring === undefined ? {} : { querystring }),
    ...(body === undefined ? {} : { body }),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the call has exactly the schemas that its type names
  return { method, url, schema: schema as SchemaOf<One>, config: { rule } };
}
