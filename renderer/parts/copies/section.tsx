import { CloudUpload, FileKey, History } from 'lucide-react'
import { type ReactNode, useState } from 'react'
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
import { Loaded, Notice } from '../../ui/states.tsx'
import { toastError } from '../../ui/toast.tsx'
import { AddPlaceDialog } from './add-place-dialog.tsx'
import styles from './copies.module.css'
import { DesktopElsewhere, ElsewhereNotice } from './elsewhere.tsx'
import { LocalRow } from './local-row.tsx'
import { PlaceRow } from './place-row.tsx'
import { RecoverySheetDialog } from './recovery-sheet.tsx'

/** Where the data are kept: on this computer, and at places outside of it. In a browser places can be read only. */
export function ReplicasSection() {
  return useMaybeSession() ? <OfSession /> : <OfVisitor />
}

function OfSession() {
  const isOwner = useIsOwner()
  if (!isOwner) return <OfVisitor />
  return desktop ? <OfDesktop /> : <OfOwner view={undefined} />
}

/** Backups need no session: with a server that does not start there is none. */
function OfVisitor() {
  return (
    <Section lead={t.copies.lead} title={t.copies.title}>
      {desktop && <DesktopElsewhere />}
      {desktop && (
        <RowList label={t.copies.list}>
          <LocalRow />
        </RowList>
      )}
      <Notice>{t.copies.signIn}</Notice>
    </Section>
  )
}

function OfDesktop() {
  const { data: view } = useDesktopQuery('settings.view')
  return view && <OfOwner view={view} />
}

interface OfOwnerProps {
  /** Undefined in a browser. */
  readonly view: SettingsView | undefined
}

function OfOwner({ view }: OfOwnerProps) {
  const query = usePolledCopies()
  const [showsSheet, setShowsSheet] = useState(false)
  const places = query.data?.places ?? []
  const isElsewhere = places.some(({ problem }) => problem?.kind === 'elsewhere')
  const add = view && (
    <DialogButton
      dialog={(close) => (
        <AddPlaceDialog onAdded={() => !view.isSheetKept && setShowsSheet(true)} onClose={close} />
      )}
      size="s"
    >
      {t.copies.add}
    </DialogButton>
  )
  return (
    <Section
      action={places.length > 0 && <Actions add={add} />}
      lead={view ? t.copies.lead : t.copies.leadElsewhere}
      title={t.copies.title}
    >
      {desktop ? <DesktopElsewhere /> : isElsewhere && <ElsewhereNotice />}
      {view && places.length > 0 && !view.isSheetKept && <SheetReminder onShow={() => setShowsSheet(true)} />}
      <RowList label={t.copies.list}>
        {view && <LocalRow />}
        {places.map((place) => (
          <PlaceRow key={place.url} now={query.dataUpdatedAt} place={place} view={view} />
        ))}
        {query.data && places.length === 0 && <NoPlace action={add} />}
      </RowList>
      {!query.data && (
        <Loaded query={query} rows={1}>
          {() => null}
        </Loaded>
      )}
      {!view && <Notice>{t.copies.byServer}</Notice>}
      {view && <Recovery hasPlaces={places.length > 0} onShow={() => setShowsSheet(true)} />}
      {showsSheet && <RecoverySheetDialog onClose={() => setShowsSheet(false)} />}
    </Section>
  )
}

function Actions({ add }: { readonly add: ReactNode }) {
  const copy = useProcedure(com.core.admin.copyNow, [com.core.admin.getCopies], { onError: toastError })
  return (
    <div className={styles.buttons}>
      <Button busy={copy.isPending} onClick={() => copy.mutate(undefined)} size="s">
        {t.copies.now}
      </Button>
      {add}
    </div>
  )
}

function NoPlace({ action }: { readonly action: ReactNode }) {
  return (
    <Row
      action={action}
      as="li"
      detail={t.copies.noneText}
      icon={<CloudUpload aria-hidden size={20} strokeWidth={1.75} />}
      title={t.copies.none}
      top
    />
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
        action={<Link href={entrances.restore}>{t.restoring.restore}</Link>}
        detail={t.bringBack.wayDetail}
        icon={<History aria-hidden size={20} strokeWidth={1.75} />}
        title={t.bringBack.way}
      />
    </Panel>
  )
}
