import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { RequestKind } from "#auth/origin-guard.ts";
import { type Access, sessionMark, type Visitor } from "#auth/sessions.ts";
import type { RateClass } from "./rate-limits.ts";

/** Who may use a route, and how often; a route without a rule stops the start. */
export interface RouteRule {
  readonly access: Access;
  /** any: public, without personal data. */
  readonly origin: RequestKind | "any";
  /** Null: only the address's flood limit applies. */
  readonly rate: RateClass | null;
  /** One person's requests run one at a time (plugins/admission.ts), like the whole lists. */
  readonly isInTurn?: true;
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

/** The signed-in person; the route's rule guarantees that there is one. */
export function visitorOf(request: Pick<FastifyRequest, "visitor">): Visitor {
  if (request.visitor === null) throw new Error("a route that needs a session was reached without one");
  return request.visitor;
}
