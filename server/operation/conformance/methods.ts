/** The methods of a personal data server, with their lexicons. */
import type { l } from '@atproto/lex-schema'
import { com } from '../../../lexicons/generated/index.ts'

/** Whom a method answers. */
export type Caller = 'anyone' | 'access' | 'refresh' | 'admin'

export interface MethodUnderTest {
  /** Without the namespace, such as `repo.getRecord`. */
  readonly name: string
  /** As the network calls it. */
  readonly nsid: string
  readonly caller: Caller
  /** Whether clients and relays cannot do without it. */
  readonly isCore: boolean
  readonly verb: 'GET' | 'POST'
  readonly params: l.ParamsSchema
  /** Of a JSON body; undefined for others, and without one. */
  readonly input: l.ObjectSchema | undefined
  /** Of a JSON body. */
  readonly output: l.Schema | undefined
}

type Lexicon = { readonly main: l.Query | l.Procedure }

/** Names by caller; those of the core begin with +. */
const names = {
  server: {
    anyone:
      '+describeServer +createSession createAccount requestPasswordReset resetPassword reserveSigningKey',
    access:
      '+getSession +getServiceAuth createAppPassword listAppPasswords revokeAppPassword checkAccountStatus activateAccount ' +
      'deactivateAccount requestAccountDelete requestEmailConfirmation requestEmailUpdate confirmEmail updateEmail ' +
      'getAccountInviteCodes',
    refresh: '+refreshSession +deleteSession',
    admin: 'createInviteCode createInviteCodes',
  },
  repo: {
    anyone: '+describeRepo +getRecord +listRecords',
    access: '+createRecord +putRecord +deleteRecord +applyWrites +uploadBlob importRepo listMissingBlobs',
  },
  sync: {
    anyone: '+getRepo +getLatestCommit +getRepoStatus +listRepos +getRecord +getBlocks +getBlob +listBlobs',
  },
  identity: {
    anyone: '+resolveHandle',
    access:
      'getRecommendedDidCredentials updateHandle requestPlcOperationSignature signPlcOperation submitPlcOperation',
  },
  admin: { admin: 'getAccountInfo getSubjectStatus getInviteCodes' },
} as const satisfies Readonly<Record<string, Readonly<Partial<Record<Caller, string>>>>>

export const methods: readonly MethodUnderTest[] = Object.entries(names).flatMap(([namespace, byCaller]) =>
  Object.entries(byCaller).flatMap(([caller, list]: [string, string]) =>
    list.split(' ').map((word) => methodOf(namespace, word, caller as Caller)),
  ),
)

function methodOf(namespace: string, word: string, caller: Caller): MethodUnderTest {
  const [, plus, method = ''] = /^(\+?)(\w+)$/.exec(word) ?? []
  const lexicons = com.core[namespace as keyof typeof names] as unknown as Readonly<Record<string, Lexicon>>
  const schema = (lexicons[method] as Lexicon).main
  const input = 'input' in schema ? schema.input.schema : undefined
  return {
    name: `${namespace}.${method}`,
    nsid: `com.atproto.${namespace}.${method}`,
    ...{ caller, isCore: plus === '+', verb: schema.type === 'query' ? 'GET' : 'POST' },
    ...{
      params: schema.parameters,
      input: asObject(input),
      output: schema.output.schema as l.Schema | undefined,
    },
  }
}

function asObject(schema: unknown): l.ObjectSchema | undefined {
  return typeof schema === 'object' && schema !== null && 'shape' in schema
    ? (schema as l.ObjectSchema)
    : undefined
}
