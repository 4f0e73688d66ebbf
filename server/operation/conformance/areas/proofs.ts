/** Commits that split and merge nodes of the tree, as the interop test vectors have them. */
import { layerOf } from '../../../repository/format/tree-node.ts'
import { collection, newRecord, type Writer, writerOf } from '../account.ts'
import { expectStatus } from '../answers.ts'
import type { Message } from '../events.ts'
import { must, type Requirement } from '../requirement.ts'
import { vectors } from '../sources.ts'
import type { Target } from '../target.ts'
import { proofs as all, type ProofVector } from '../vectors/trees.ts'
import { expect, expectSame } from '../verdict.ts'
import { commitsIn, invert, withEvents } from './stream.ts'

/** Returns keys of the collection in the same order and layers as the keys of the vector. */
function ownKeysOf({ name, keys, adds }: ProofVector): (key: string) => string {
  const prefix = idOf(name)
  const own = [...keys, ...adds].toSorted().map((key, index) => {
    for (let number = 0; ; number++) {
      const rkey = `${prefix}-${index}-${number}`
      if (layerOf(`${collection}/${rkey}`) === layerOf(key)) return [key, rkey] as const
    }
  })
  const found = new Map(own)
  return (key) => found.get(key) ?? ''
}

const idOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z]+/g, '-')

type Action = 'create' | 'delete'

async function apply({ account }: Writer, changes: readonly (readonly [Action, string])[]): Promise<void> {
  const writes = changes.map(([action, rkey]) => ({
    ...{ $type: `com.atproto.repo.applyWrites#${action}`, collection, rkey },
    ...(action === 'create' && { value: newRecord() }),
  }))
  expectStatus(
    await account.call('com.atproto.repo.applyWrites', { input: { repo: account.did, writes } }),
    200,
  )
}

/** Creates the records before, then applies the changes and returns their commit. @throws Failed */
async function commitOf(target: Target, vector: ProofVector): Promise<{ before: Message; commit: Message }> {
  const writer = await writerOf(target)
  const keyOf = ownKeysOf(vector)
  return withEvents(target, '', async (events) => {
    expect(!events.ended, `the event stream does not open: ${events.ended?.message}`)
    const commits = () => commitsIn(events.messages).filter(({ body }) => body.repo === writer.account.did)
    await apply(
      writer,
      vector.keys.map((key) => ['create', keyOf(key)]),
    )
    await apply(writer, [
      ...vector.adds.map((key) => ['create', keyOf(key)] as const),
      ...vector.dels.map((key) => ['delete', keyOf(key)] as const),
    ])
    await events.until(() => commits().length >= 2)
    const [before, commit] = commits()
    expect(before && commit, 'the commits did not arrive')
    return { before, commit }
  })
}

export const proofs: readonly Requirement[] = all.map((vector) =>
  must(
    `vectors.proof.${idOf(vector.name)}`,
    `The #commit of “${vector.name}” has all nodes that undo it`,
    vectors('firehose/commit-proof-fixtures.json'),
    async (target) => {
      const { before, commit } = await commitOf(target, vector)
      expectSame(commit.body.since, before.body.rev, 'since')
      expectSame(await invert(commit), String(commit.body.prevData), 'the tree before')
    },
  ),
)
