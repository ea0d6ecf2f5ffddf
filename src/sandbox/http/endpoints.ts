import { z } from "zod";
import { catalogueEndpoints } from "./catalogue-endpoints.ts";
import { checkoutEndpoints } from "./checkout-endpoints.ts";
import { valid, type Endpoint, type EndpointParts } from "./endpoint.ts";
import { orderEndpoints } from "./order-endpoints.ts";

export function marketplaceEndpoints(parts: EndpointParts): readonly Endpoint[] {
  return [
    ...catalogueEndpoints(parts),
    ...checkoutEndpoints(parts),
    ...orderEndpoints(parts),
    refreshEndpoint(parts),
  ];
}

const refreshBody = z.object({ refresh_token: z.string().min(1).max(4_096) });

function refreshEndpoint({ market: { sessions } }: EndpointParts): Endpoint {
  return {
    method: "POST",
    pattern: /^\/web\/api\/auth\/refresh$/,
    route: "refresh",
    run({ body, onDelivered }) {
      const tokens = sessions.refresh(valid(refreshBody, body).refresh_token);
      onDelivered(() => sessions.noteDelivered(tokens));
      return {
        access_token: tokens.accessToken,
        refresh_token: tokens.refreshToken,
        token_type: "Bearer",
        expires_in: tokens.expiresInS,
        code: 0,
      };
    },
  };
}
