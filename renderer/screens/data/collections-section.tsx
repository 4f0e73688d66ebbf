import { ChevronRight, FileText } from 'lucide-react'
import { Link } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import type { Body } from '../../api/client.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { collectionName, kindOf } from '../../parts/apps/collection-name.ts'
import { t } from '../../strings/en.ts'
import { formatBytes } from '../../strings/format.ts'
import { Row, Section } from '../../ui/page.tsx'
import { EmptyState, LoadedList } from '../../ui/states.tsx'
import styles from './data.module.css'

/** The collections of the repository. */
export function CollectionsSection() {
  const { did } = useSession()
  const repository = useXrpcQuery(com.core.repo.describeRepo, { repo: did })
  const { data: usage } = useXrpcQuery(com.core.server.getUsage, {})
  return (
    <Section lead={t.data.storedLead} title={t.data.stored}>
      <LoadedList
        empty={<EmptyState icon={FileText} text={t.data.noneText} title={t.data.none} />}
        itemsOf={({ collections }) => collections}
        label={t.data.collectionList}
        query={repository}
        textOf={(nsid) => `${collectionName(nsid)} ${nsid}`}
      >
        {(nsid) => (
          <CollectionRow
            key={nsid}
            nsid={nsid}
            size={usage && sizeOf(nsid, repository.data?.collections ?? [], usage)}
          />
        )}
      </LoadedList>
    </Section>
  )
}

type Usage = Body<typeof com.core.server.getUsage.main>

interface Size {
  readonly records: number
  readonly bytes: number
}

/** The size of a collection. Its records may be stored under several names, of which the repository lists one. */
function sizeOf(nsid: string, listed: readonly string[], usage: Usage): Size {
  const isPart = ({ collection }: Usage['collections'][number]) =>
    collection === nsid || (kindOf(collection) === kindOf(nsid) && !listed.includes(collection))
  const parts = usage.collections.filter(isPart)
  return {
    records: parts.reduce((sum, { records }) => sum + records, 0),
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

function CollectionRow({ nsid, size }: { readonly nsid: string; readonly size: Size | undefined }) {
  const name = collectionName(nsid)
  return (
    <Row
      action={<ChevronRight aria-hidden className={styles.soft} size={18} />}
      as="li"
      detail={
        <span className={styles.details}>
          {size && (
            <span>
              {t.data.records(size.records)} · {formatBytes(size.bytes)}
            </span>
          )}
          {name !== nsid && <code>{nsid}</code>}
        </span>
      }
      title={
        <Link className={styles.rowLink} href={`/data/${nsid}`}>
          {name}
        </Link>
      }
    />
  )
}
