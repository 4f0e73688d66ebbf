import { Link } from 'wouter'
import { callDesktop, useDesktopQuery } from '../../api/desktop.ts'
import { desktop } from '../../bridge.ts'
import { OutboxList } from '../../parts/mail/outbox-list.tsx'
import { SendTestDialog } from '../../parts/mail/send-test-dialog.tsx'
import { t } from '../../strings/en.ts'
import { DialogButton } from '../../ui/dialog.tsx'
import { Page } from '../../ui/page.tsx'

const toMailServer = <Link href="/server">{t.outbox.settings}</Link>

/** In a browser, the owner reads it on the computer of the server. */
export const OutboxScreen = desktop ? DesktopScreen : ServerScreen

function ServerScreen() {
  return (
    <Page lead={t.outbox.lead} title={t.nav.outbox}>
      <OutboxList action={toMailServer} />
    </Page>
  )
}

function DesktopScreen() {
  const { data: view } = useDesktopQuery('settings.view')
  return (
    <Page
      action={
        <DialogButton
          dialog={(close) => (
            <SendTestDialog
              done={(to) => (view?.mail.host === '' ? t.outbox.testKept : t.outbox.testSent(to))}
              lead={t.outbox.testLead}
              onClose={close}
              send={(to) => callDesktop('outbox.test', to)}
              title={t.outbox.test}
            />
          )}
        >
          {t.outbox.test}
        </DialogButton>
      }
      lead={t.outbox.lead}
      title={t.nav.outbox}
    >
      <OutboxList action={toMailServer} />
    </Page>
  )
}
