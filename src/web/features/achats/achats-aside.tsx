import { Button } from "@mantine/core";
import { IconChartBar, IconDownload, IconTargetOff } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import type { Achat } from "#contract/achat.ts";
import { showToast } from "../../ui/toast.tsx";
import "./achats-aside.css";

const SummaryPanel = lazy(async () => ({ default: (await import("./summary-panel.tsx")).SummaryPanel }));
const MissedModal = lazy(async () => ({ default: (await import("./missed-modal.tsx")).MissedModal }));

const SUMMARY_ID = "bilan-des-achats";
const ICON = { size: 17, stroke: 1.7 } as const;

/** What stands beside the list and stays out of its way: the sums, what was missed, a file of it all. */
export function AchatsAside({ purchases }: { readonly purchases: readonly Achat[] }) {
  const [isSummaryOpen, setIsSummaryOpen] = useState(false);
  const [missed, setMissed] = useState({ isOpen: false, wasOpened: false });
  return (
    <>
      <div className="achats-aside" role="group" aria-label="Autour de mes achats">
        <Button
          variant="subtle"
          leftSection={<IconChartBar {...ICON} />}
          aria-expanded={isSummaryOpen}
          aria-controls={SUMMARY_ID}
          onClick={() => setIsSummaryOpen(!isSummaryOpen)}
        >
          Bilan
        </Button>
        <Button
          variant="subtle"
          leftSection={<IconTargetOff {...ICON} />}
          onClick={() => setMissed({ isOpen: true, wasOpened: true })}
        >
          Achats manqués
        </Button>
        {purchases.length === 0 ? null : (
          <Button
            variant="subtle"
            leftSection={<IconDownload {...ICON} />}
            onClick={() => void download(purchases)}
          >
            Exporter (CSV)
          </Button>
        )}
      </div>
      <div id={SUMMARY_ID} hidden={!isSummaryOpen}>
        <Suspense>{isSummaryOpen ? <SummaryPanel /> : null}</Suspense>
      </div>
      {missed.wasOpened ? (
        <Suspense>
          <MissedModal isOpen={missed.isOpen} onClose={() => setMissed({ isOpen: false, wasOpened: true })} />
        </Suspense>
      ) : null}
    </>
  );
}

/** A file made in the browser: nothing leaves it. */
async function download(purchases: readonly Achat[]): Promise<void> {
  const { purchasesCsv } = await import("./purchases-csv.ts");
  const address = URL.createObjectURL(
    new Blob([purchasesCsv(purchases)], { type: "text/csv;charset=utf-8" }),
  );
  const link = document.createElement("a");
  link.href = address;
  link.download = "synapse-achats.csv";
  link.click();
  URL.revokeObjectURL(address);
  showToast({ message: "Le fichier de vos achats est enregistré.", tone: "neutral" });
}
