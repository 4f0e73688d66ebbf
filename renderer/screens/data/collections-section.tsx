import { ChevronRight, FileText } from 'lucide-react'
import { Link } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Row, RowList, Section } from '../../ui/page.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import styles from './data.module.css'
import { collectionName } from './names.ts'

/** The collections of the repository. */
export function CollectionsSection() {
  const { did } = useSession()
  const repository = useXrpcQuery(com.core.repo.describeRepo, { repo: did })
  return (
    <Section lead={t.data.storedLead} title={t.data.stored}>
      <Loaded query={repository}>
        {({ collections }) =>
          collections.length === 0 ? (
            <EmptyState icon={<FileText aria-hidden size={28} />} title={t.data.none}>
              {t.data.noneText}
            </EmptyState>
          ) : (
            <RowList label={t.data.collectionList}>
              {collections.map((nsid) => (
                <CollectionRow key={nsid} nsid={nsid} />
              ))}
            </RowList>
          )
        }
      </Loaded>
    </Section>
  )
}

function CollectionRow({ nsid }: { readonly nsid: string }) {
  const name = collectionName(nsid)
  return (
    <Row
      action={<ChevronRight aria-hidden className={styles.chevron} size={18} />}
      as="li"
      detail={name === nsid ? undefined : <code>{nsid}</code>}
      title={
        <Link className={styles.rowLink} href={`/data/${nsid}`}>
          {name}
        </Link>
      }
    />
  )
}
