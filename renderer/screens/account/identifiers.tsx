import { com } from '../../../lexicons/generated/index.ts'
import { endpoint } from '../../api/endpoint.ts'
import { usePublicXrpcQuery, useXrpcQuery } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { Facts } from '../../parts/facts.tsx'
import { t } from '../../strings/en.ts'
import { formatNumber } from '../../strings/format.ts'
import { CopyBlock, CopyField } from '../../ui/copy.tsx'
import { Panel, Stack } from '../../ui/page.tsx'
import styles from './identity.module.css'

/** The permanent names of the account and the server, for tools. */
export function Identifiers() {
  const { did } = useSession()
  const { data: server } = usePublicXrpcQuery(com.core.server.describeServer, {})
  const { data: status } = useXrpcQuery(com.core.server.checkAccountStatus, {})
  return (
    <details>
      <summary>{t.identifiers.title}</summary>
      <div className={styles.identifiers}>
        <Stack>
          <p className="soft">{t.identifiers.didHint}</p>
          <Panel>
            <CopyField label={t.ui.copyDid} name={t.identifiers.did} text={did} />
            <CopyField
              label={t.identifiers.copyServerDid}
              name={t.identifiers.serverDid}
              text={server?.did ?? '…'}
            />
          </Panel>
          {status && (
            <Facts
              facts={{
                [t.account.revision]: status.repoRev,
                [t.account.blocks]: formatNumber(status.repoBlocks),
                [t.account.privateValues]: formatNumber(status.privateStateValues),
              }}
            />
          )}
          <CopyBlock
            label={t.ui.copyCommand}
            text={`curl ${endpoint}/xrpc/${com.core.server.describeServer.$nsid}`}
          />
        </Stack>
      </div>
    </details>
  )
}
