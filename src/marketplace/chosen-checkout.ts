import { countryCode, formatPostalCode } from "#catalogue/countries.ts";
import type { CheckoutChoices } from "./marketplace.ts";
import { PICKUP_HOME, PICKUP_POINT, type WireCheckout } from "./wire.ts";

const CARD = 1;

/**
 * Whether a checkout says back what was chosen: its checksum agrees to what stands in it, be it another way to pay or
 * another place. A street may be written otherwise, a postal code with its country or spaces, and a place that is not
 * told is not contradicted.
 */
export function isAsChosen(
  { id, components }: WireCheckout,
  chosen: CheckoutChoices & { readonly checkoutId: number },
): boolean {
  const { payment_method: method, shipping_pickup_options: options } = components;
  const isOurs = id === chosen.checkoutId && method.pay_in_method_id === chosen.paymentMethodId;
  const isOurCard = chosen.paymentMethodId !== CARD || method.card_id === chosen.cardId;
  return (
    isOurs && isOurCard && isOurPlace(components, chosen) && isOurWay(options.pickup_type, components, chosen)
  );
}

type Components = WireCheckout["components"];

function isOurPlace({ shipping_address: place }: Components, { address }: CheckoutChoices): boolean {
  if (place === null) return true;
  return (
    place.country_code.trim().toUpperCase() === countryCode(address.country) &&
    // "L-1009", "B 1000" and "75 011" are ways to write one.
    place.postal_code.replaceAll(/\D/gu, "") === formatPostalCode(address.postalCode, address.country)
  );
}

function isOurWay(type: number, components: Components, { pickupPoint }: CheckoutChoices): boolean {
  if (pickupPoint === null) return type === PICKUP_HOME;
  return type === PICKUP_POINT && components.shipping_pickup_details?.point_uuid === pickupPoint.uuid;
}
