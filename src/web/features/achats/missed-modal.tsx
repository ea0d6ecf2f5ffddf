import { IconMoodCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useState, type ReactNode } from "react";
import type { Manque } from "#contract/achat.ts";
import { useIsBlocked } from "../../api/blocked-sellers.ts";
import { queries } from "../../api/queries.ts";
import { BlockSeller } from "../../ui/block-seller.tsx";
import { BuyButton } from "../../ui/buying/buy-button.tsx";
import { useBuying, type BuyState } from "../../ui/buying/buy.ts";
import { formatMoney } from "../../ui/format.ts";
import { formatPurchaseDate } from "../../ui/format-panel.ts";
import { Guard } from "../../ui/loading/guard.tsx";
import { LeftOut, ReadFailed, ScreenState } from "../../ui/notice.tsx";
import { Loading } from "../../ui/loading/unread-part.tsx";
import { Photo } from "../../ui/photo.tsx";
import { withToasts } from "../../ui/toasts/show-toast.ts";
import { leaveFocusAround } from "../../ui/windows/keep-focus.ts";
import { Dialog } from "../../ui/windows/dialog.tsx";
import { TimeLineView } from "./time-line.tsx";
import "./missed-modal.css";

interface MissedModalProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/**
 * Missed purchases with their reasons: first those that wait for the user's decision, then attempts that
 * ended before the checkout and wishes that were never attempted.
 */
export function MissedModal({ isOpen, onClose }: MissedModalProps) {
  useEffect(() => {
    // This window shows what the toast announces.
    if (isOpen) withToasts(({ hideToConfirm }) => hideToConfirm());
  }, [isOpen]);
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Achats manqués"
      size={720}
      isFullScreenOnPhones
      isInAddress
    >
      <Missed />
    </Dialog>
  );
}

function Missed() {
  const { data, isError, refetch } = useQuery(queries.missedPurchases);
  const buying = useBuying();
  const [shown, setShown] = useState(NONE_SHOWN);
  const { toConfirm, missed } = sortedMisses(data ?? [], shown, buying);
  const hasSections = toConfirm.length > 0;
  const arrived = toConfirm.filter(({ manque }) => !shown.has(manque.product.id));
  if (arrived.length > 0)
    setShown(new Map([...shown, ...arrived.map(({ manque }) => [manque.product.id, manque] as const)]));
  const buy = ({ product, filtre }: Manque): void =>
    buying.buy({ ...product, filtres: filtre === null ? [] : [filtre] });
  if (data === undefined) {
    if (isError) return <ReadFailed what="Vos achats manqués" onRetry={refetch} />;
    return <Loading height={240} radius="lg" label="Chargement des achats manqués" />;
  }
  if (toConfirm.length + missed.length === 0) {
    return (
      <ScreenState
        icon={<IconMoodCheck size={28} stroke={1.6} />}
        title="Rien n'a été manqué"
        text="Ce que vos filtres automatiques n'ont pas pu acheter ces sept derniers jours apparaît ici, avec la raison."
      />
    );
  }
  return (
    <>
      {toConfirm.length === 0 ? null : (
        <MissedSection title="À confirmer">
          {toConfirm.map(({ manque, state }) => (
            <Guard key={manque.product.id} of={manque} fallback={null}>
              <MissedRow Heading="h4" manque={manque} onBuy={() => buy(manque)} buyState={state} />
            </Guard>
          ))}
        </MissedSection>
      )}
      {missed.length === 0 ? null : (
        <MissedSection title={hasSections ? "Manqués" : null}>
          {missed.map((manque) => (
            <Guard key={`${manque.product.id} ${manque.date}`} of={manque} fallback={null}>
              <MissedRow Heading={hasSections ? "h4" : "h3"} manque={manque} />
            </Guard>
          ))}
        </MissedSection>
      )}
      <LeftOut list="missed" one="achat manqué" many="achats manqués" />
    </>
  );
}

interface ToConfirm {
  readonly manque: Manque;
  readonly state: BuyState;
}

interface SortedMisses {
  /** Listings that a click may still buy, at their latest known price, with the state of that click. */
  readonly toConfirm: readonly ToConfirm[];
  readonly missed: readonly Manque[];
}

type KnownClicks = Pick<ReturnType<typeof useBuying>, "stateOf" | "wasTried" | "newPriceOf">;

const NONE_SHOWN: ReadonlyMap<number, Manque> = new Map();

/**
 * Separates what can still be bought from what was missed; purchases made meanwhile are in neither.
 * @param shown the rows already shown under "À confirmer", in order: they keep their place whatever their
 *   outcome, and new rows are appended, so that no click hits a row that has just moved
 */
export function sortedMisses(
  manques: readonly Manque[],
  shown: ReadonlyMap<number, Manque>,
  { stateOf, wasTried, newPriceOf }: KnownClicks,
): SortedMisses {
  const rowOf = (manque: Manque): ToConfirm => {
    const price = newPriceOf(manque.product.id) ?? manque.product.total_item_price;
    const priced = { ...manque, product: { ...manque.product, total_item_price: price } };
    return { manque: priced, state: stateOf(priced.product) };
  };
  const toConfirm = Array.from(shown, ([id, before]) =>
    // A failed purchase is a new miss of the same listing: the row shows its reason.
    rowOf({ ...(manques.find(({ product }) => product.id === id) ?? before), date: before.date }),
  );
  const missed: Manque[] = [];
  for (const manque of manques) {
    const { product, a_confirmer: isAsked } = manque;
    if (shown.has(product.id)) continue;
    const row = rowOf(manque);
    if (row.state.kind === "bought") continue;
    const isGone = row.state.kind === "refused" && row.state.isGone;
    if ((isAsked || wasTried(product.id)) && !isGone) toConfirm.push(row);
    else missed.push(manque);
  }
  return { toConfirm, missed };
}

interface MissedSectionProps {
  /** Null if it is the window's only section. */
  readonly title: string | null;
  readonly children: ReactNode;
}

function MissedSection({ title, children }: MissedSectionProps) {
  const titleId = useId();
  if (title === null)
    return (
      <ul className="stack ruled" data-gap="4">
        {children}
      </ul>
    );
  return (
    <section className="missed__section" aria-labelledby={titleId}>
      <h3 id={titleId}>{title}</h3>
      <ul className="stack ruled" data-gap="4">
        {children}
      </ul>
    </section>
  );
}

interface MissedRowProps {
  /** One level below the section's heading, or the window's if there are no sections. */
  readonly Heading: "h3" | "h4";
  readonly manque: Manque;
  /** Absent where there is nothing left to decide. */
  readonly buyState?: BuyState;
  readonly onBuy?: () => void;
}

export function MissedRow({ Heading, manque, buyState, onBuy }: MissedRowProps) {
  const titleId = useId();
  const { product, raison, date } = manque;
  const isBlocked = useIsBlocked();
  const isToConfirm = buyState !== undefined && onBuy !== undefined;
  // That nothing was bought is not true any more.
  const isAnswered = ["busy", "awaiting", "bought"].includes(buyState?.kind ?? "");
  return (
    <li className="missed__row" aria-labelledby={titleId} data-listing={product.id} tabIndex={-1}>
      <div className="missed__photo">
        <Photo photo={product.photo} alt="" />
      </div>
      <div className="missed__words stack" data-gap="4">
        <Heading id={titleId}>
          <a href={product.url || undefined} target="_blank" rel="noopener noreferrer">
            {product.title}
          </a>
        </Heading>
        <p className="dim">
          {formatMoney(product.total_item_price)}
          {isToConfirm ? " hors livraison" : ""} ·{" "}
          <time dateTime={new Date(date).toISOString()}>{formatPurchaseDate(Math.floor(date / 1_000))}</time>
        </p>
        {isToConfirm ? <p className="dim">{factsText(product)}</p> : null}
        {product.user.login === "" ? null : (
          <p className="line dim" data-gap="6">
            {product.user.login}
            {isBlocked(product.user) ? null : (
              <BlockSeller seller={product.user} onPress={leaveFocusAround} />
            )}
          </p>
        )}
        <p className={isToConfirm ? "missed__question" : undefined} data-answered={isAnswered || undefined}>
          {raison ?? "La cause n'est pas connue."}
        </p>
        <details className="fold">
          <summary aria-describedby={titleId}>Pourquoi ?</summary>
          <TimeLineView recit={{ ...manque, raison: manque.conseil, conseil: null }} />
        </details>
      </div>
      {isToConfirm ? (
        <div className="missed__action">
          <BuyButton
            state={buyState}
            amount={product.total_item_price.amount}
            onBuy={onBuy}
            titleId={titleId}
          />
        </div>
      ) : null}
    </li>
  );
}

/** "Zara · M · Très bon état". */
function factsText({ brand_title: brand, size_title: size, status }: Manque["product"]): string {
  return [brand, size, status?.trim() || "N/A"].filter((fact) => fact.trim() !== "").join(" · ");
}
