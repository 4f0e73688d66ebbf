import { CloudUpload, FileKey, History } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { SettingsView } from '../../../electron/bridge.ts'
import { com } from '../../../lexicons/generated/index.ts'
import { useIsOwner } from '../../api/account.ts'
import { usePolledCopies } from '../../api/copies.ts'
import { useDesktopQuery } from '../../api/desktop.ts'
import { useProcedure } from '../../api/hooks.ts'
import { useMaybeSession } from '../../api/sessions.ts'
import { desktop } from '../../bridge.ts'
import { entrances } from '../../entrances.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { Panel, Row, RowList, Section } from '../../ui/page.tsx'
import { EmptyState, Loaded, Notice } from '../../ui/states.tsx'
import { toastError } from '../../ui/toast.tsx'
import { AddPlaceDialog } from './add-place-dialog.tsx'
import { DesktopElsewhere, ElsewhereNotice } from './elsewhere.tsx'
import { PlaceRow } from './place-row.tsx'
import { RecoverySheetDialog } from './recovery-sheet.tsx'

/** The places of the continuous copies. In a browser they can be read only. */
export function CopiesSection() {
  return useMaybeSession() ? <OfSession /> : <SignInFirst />
}

function SignInFirst() {
  return (
    <Section lead={t.copies.lead} title={t.copies.title}>
      {desktop && <DesktopElsewhere />}
      <Notice>{t.copies.signIn}</Notice>
    </Section>
  )
}

function OfSession() {
  const isOwner = useIsOwner()
  if (!isOwner) return <SignInFirst />
  return desktop ? <OfDesktop /> : <Places view={undefined} />
}

function OfDesktop() {
  const { data: view } = useDesktopQuery('settings.view')
  return view && <Places view={view} />
}

interface PlacesProps {
  /** Undefined in a browser. */
  readonly view: SettingsView | undefined
}

function Places({ view }: PlacesProps) {
  const query = usePolledCopies()
  const [showsSheet, setShowsSheet] = useState(false)
  const copy = useProcedure(com.core.admin.copyNow, [com.core.admin.getCopies], { onError: toastError })
  const places = query.data?.places ?? []
  const isElsewhere = places.some(({ problem }) => problem?.kind === 'elsewhere')
  const add = view && (
    <DialogButton
      dialog={(close) => (
        <AddPlaceDialog onAdded={() => !view.isSheetKept && setShowsSheet(true)} onClose={close} />
      )}
      variant={places.length === 0 ? 'primary' : 'plain'}
    >
      {t.copies.add}
    </DialogButton>
  )
  return (
    <Section
      action={
        places.length > 0 && (
          <div>
            <Button busy={copy.isPending} onClick={() => copy.mutate(undefined)}>
              {t.copies.now}
            </Button>{' '}
            {add}
          </div>
        )
      }
      lead={t.copies.lead}
      title={t.copies.title}
    >
      {desktop ? <DesktopElsewhere /> : isElsewhere && <ElsewhereNotice />}
      {view && places.length > 0 && !view.isSheetKept && <SheetReminder onShow={() => setShowsSheet(true)} />}
      <Loaded query={query} rows={1}>
        {() =>
          places.length === 0 ? (
            <EmptyState
              action={add}
              icon={CloudUpload}
              text={view ? t.copies.noneText : t.copies.byServer}
              title={t.copies.none}
            />
          ) : (
            <RowList label={t.copies.list}>
              {places.map((place) => (
                <PlaceRow key={place.url} now={query.dataUpdatedAt} place={place} view={view} />
              ))}
            </RowList>
          )
        }
      </Loaded>
      {!view && places.length > 0 && <Notice>{t.copies.byServer}</Notice>}
      {view && <Recovery hasPlaces={places.length > 0} onShow={() => setShowsSheet(true)} />}
      {showsSheet && <RecoverySheetDialog onClose={() => setShowsSheet(false)} />}
    </Section>
  )
}

interface SheetProps {
  onShow(): void
}

/** Shown until the recovery sheet was printed or saved. */
function SheetReminder({ onShow }: SheetProps) {
  const action = (
    <Button onClick={onShow} size="s">
      {t.sheet.remindAction}
    </Button>
  )
  return (
    <Notice action={action} variant="warn">
      <strong>{t.sheet.remind}</strong> {t.sheet.remindText}
    </Notice>
  )
}

/** The recovery sheet, and the way back. */
function Recovery({ hasPlaces, onShow }: SheetProps & { readonly hasPlaces: boolean }) {
  return (
    <Panel>
      {hasPlaces && (
        <Row
          action={<Button onClick={onShow}>{t.sheet.open}</Button>}
          detail={t.sheet.detail}
          icon={<FileKey aria-hidden size={20} strokeWidth={1.75} />}
          title={t.sheet.title}
        />
      )}
      <Row
        action={<Link href={entrances.restore}>{t.copies.restore}</Link>}
        detail={t.bringBack.wayDetail}
        icon={<History aria-hidden size={20} strokeWidth={1.75} />}
        title={t.bringBack.way}
      />
    </Panel>
  )
}
