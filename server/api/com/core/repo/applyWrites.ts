import type { l } from '@atproto/lex-schema'
import { com } from '../../../../../lexicons/generated/index.ts'
import { canonicalNsid } from '../../../../config/aliases.ts'
import type { Config } from '../../../../config/config.ts'
import { prepareRecord } from '../../../../records/prepare.ts'
import { recordUri } from '../../../../records/record-uri.ts'
import type { Repositories, RepositoryState } from '../../../../records/repositories.ts'
import type { RecordChange } from '../../../../records/write-record.ts'
import { checkOwnRepo, checkSwap, maxRecordBody } from '../../../../records/writing.ts'
import { protocolError } from '../../../../xrpc/errors.ts'
import { method } from '../../../method.ts'

interface Deps {
  readonly config: Config
  readonly repositories: Repositories
}

const lexicon = com.core.repo.applyWrites

export const applyWrites = method(lexicon, {
  auth: 'access',
  active: true,
  maxBody: maxRecordBody,
  async handler({ input, auth, ...services }) {
    checkOwnRepo(input.repo, auth)
    const writes: Write[] = []
    for (const write of input.writes) writes.push(await prepareWrite(write, input.validate, services))
    const commit = await services.repositories.write(auth.did, (state) => {
      checkSwap(input, state)
      return changesOf(writes, state)
    })
    const results = writes.map(({ $type, change }) => {
      // The result of `#create` is `#createResult`, under the caller's NSID, which may be an alias.
      const result = { $type: `${$type}Result` as l.Unknown$Type }
      if (!('bytes' in change)) return result
      const { collection, rkey, cid, validationStatus } = change
      return { ...result, uri: recordUri(auth.did, collection, rkey), cid, validationStatus }
    })
    return { commit, results }
  },
})

interface Write {
  readonly $type: string
  readonly change: RecordChange
  /** True: the record must exist before the write; false: it must not; undefined: it may. */
  readonly replaces: boolean | undefined
}

async function prepareWrite(
  write: { $type: string },
  validate: boolean | undefined,
  { config, repositories }: Deps,
): Promise<Write> {
  const { aliases } = config
  const { $type } = write
  const canonical = { ...write, $type: canonicalNsid($type, aliases) }
  if (lexicon.delete.$matches(canonical)) {
    const { collection, rkey } = canonical
    return { $type, change: { collection, rkey }, replaces: undefined }
  }
  const replaces = lexicon.update.$matches(canonical)
  if (!replaces && !lexicon.create.$matches(canonical)) {
    throw protocolError('InvalidRequest', `${$type} is not a valid write`)
  }
  const { collection, rkey, value: record } = canonical
  const options = { aliases, newKey: repositories.newKey }
  return { $type, change: await prepareRecord({ collection, rkey, record, validate }, options), replaces }
}

/** Checks the writes in order against the repository. @returns the writes that change it */
function changesOf(writes: readonly Write[], state: RepositoryState): RecordChange[] {
  const written = new Map<string, string | undefined>()
  const changes: RecordChange[] = []
  for (const { change, replaces } of writes) {
    const { collection, rkey } = change
    const key = `${collection}/${rkey}`
    const before = written.has(key) ? written.get(key) : state.find(collection, rkey)?.cid
    if (replaces === false && before !== undefined) {
      throw protocolError('InvalidRequest', `Record ${key} already exists`)
    }
    if (replaces === true && before === undefined) {
      throw protocolError('InvalidRequest', `Record ${key} does not exist`)
    }
    const after = 'bytes' in change ? change.cid : undefined
    if (after !== before) changes.push(change)
    written.set(key, after)
  }
  return changes
}
