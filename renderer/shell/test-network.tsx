import { com } from '../../lexicons/generated/index.ts'
import { usePublicXrpcQuery } from '../api/hooks.ts'
import { t } from '../strings/en.ts'
import styles from './test-network.module.css'

/** Shown on each page of a server of a network for tests. */
export function TestNetworkLine() {
  const { data } = usePublicXrpcQuery(
    com.core.server.describeServer,
    {},
    { staleTime: Number.POSITIVE_INFINITY },
  )
  if (!data?.isForTests) return null
  return (
    <aside aria-label={t.testNetwork.label} className={styles.line}>
      {t.testNetwork.text}
    </aside>
  )
}
