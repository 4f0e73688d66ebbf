/**
 * The format of worlds, as a JSON Schema. It is the only source: `World` is derived from it, `check.ts` checks by it, and
 * `desktop-pds/world.schema.json` is its text.
 */
import type { FromSchema, Schema } from './schema-types.ts'

const name = {
  type: 'string',
  pattern: '^[a-z][a-z0-9-]*$',
  examples: ['alice'],
  description: 'Name of an account of this world.',
} as const satisfies Schema

const names = {
  anyOf: [name, { type: 'array', items: name, minItems: 1 }],
  description: 'Name of an account, or a list of names.',
} as const satisfies Schema

const time = {
  type: 'string',
  pattern:
    '^(-(\\d+(\\.\\d+)?(ms|[smhdw]))+|\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?(Z|[+-]\\d\\d:\\d\\d))$',
  examples: ['-3d', '-1d12h', '2026-01-31T12:00:00Z'],
  description:
    'Time before the end of the world (-3d, -2h, -1d12h, -90s), or an ISO 8601 time with its zone.',
} as const satisfies Schema

const until = { ...time, description: 'Time at which it is undone. It stays by default.' } as const

const id = {
  type: 'string',
  minLength: 1,
  description: 'Other parts of the world refer to it by this id.',
} as const satisfies Schema

const text = { type: 'string' } as const satisfies Schema

const drawing = {
  colour: { type: 'string', pattern: '^#([0-9a-fA-F]{3}){1,2}$', examples: ['#3b82f6'] },
  width: { type: 'integer', minimum: 1, maximum: 4096 },
  height: { type: 'integer', minimum: 1, maximum: 4096 },
  seed: { type: 'integer', minimum: 0, description: 'Pictures with different seeds look different.' },
  path: { type: 'string', minLength: 1, description: 'A picture file, relative to the file of the world.' },
} as const satisfies Readonly<Record<string, Schema>>

const picture = {
  anyOf: [
    { type: 'string', minLength: 1 },
    { type: 'object', properties: drawing, additionalProperties: false },
  ],
  description: 'A colour (#3b82f6), the path of a picture file, or a drawing.',
} as const satisfies Schema

const profile = { displayName: text, description: text, avatar: picture, banner: picture } as const

const state = { enum: ['deactivated', 'takedown', 'suspended'] } as const satisfies Schema

const accounts = section(
  {
    name,
    handle: { ...text, description: 'A whole handle. `<name>.<domain of the server>` by default.' },
    password: { ...text, description: '`<name>-password` by default.' },
    email: {
      anyOf: [text, { enum: [false] }],
      description: '`<name>@mail.test` by default; false for none.',
    },
    emailConfirmed: {
      type: 'boolean',
      description: 'Whether the address is confirmed. It is not by default.',
    },
    server: { type: 'integer', minimum: 0, description: 'Position of the server; 0 by default.' },
    at: { ...time, description: 'When the account is created. At the start of the world by default.' },
    client: { ...text, description: 'User-Agent of the client that signs up.' },
    inviteCode: { ...text, description: 'Id of the invite code that the account uses.' },
    profile: {
      type: 'object',
      properties: { ...profile, joinedVia: { ...text, description: 'Id of a starter pack.' } },
      additionalProperties: false,
    },
    preferences: {
      type: 'array',
      items: { type: 'object' },
      description: 'As app.bsky.actor.putPreferences takes them.',
    },
    notificationPreferences: {
      type: 'object',
      description: 'As app.bsky.notification.putPreferencesV2 takes them.',
    },
    state: {
      anyOf: [
        state,
        {
          type: 'object',
          required: ['to'],
          properties: {
            to: state,
            at: { ...time, description: 'At the end of the world by default.' },
            reason: text,
            deleteAfter: {
              type: 'string',
              pattern: '^(\\d+(\\.\\d+)?(ms|[smhdw]))+$',
              description:
                'When a deactivated account is deleted: time after the end of the world, such as 20d.',
            },
          },
          additionalProperties: false,
        },
      ],
      description: 'State in which the account ends. Active by default.',
    },
  },
  ['name'],
)

const posts = section(
  {
    id,
    by: name,
    text: { ...text, description: '@name, #tag and links become facets.' },
    at: { ...time, description: 'Directly after the post before it by default.' },
    reply: { ...text, description: 'Id of the post that this one replies to.' },
    quote: { ...text, description: 'Id of the post that this one quotes.' },
    pictures: {
      type: 'array',
      items: {
        type: 'object',
        properties: { ...drawing, alt: text },
        additionalProperties: false,
      },
      minItems: 1,
      maxItems: 4,
    },
    langs: { type: 'array', items: text, maxItems: 3, description: 'Languages of the text; en by default.' },
    tags: { type: 'array', items: text, maxItems: 8, description: 'Tags that are not in the text.' },
    labels: { type: 'array', items: text, minItems: 1, description: 'Self-labels, such as graphic-media.' },
    allowReplies: {
      type: 'array',
      items: {
        anyOf: [
          { enum: ['mentioned', 'followers', 'following'] },
          {
            type: 'object',
            required: ['list'],
            properties: { list: { ...text, description: 'Id of a list.' } },
            additionalProperties: false,
          },
        ],
      },
      maxItems: 5,
      description: 'Thread gate: who may reply. No one for an empty list. Everyone by default.',
    },
    allowQuotes: {
      type: 'boolean',
      description: 'Post gate: whether others may quote it. They may by default.',
    },
  },
  ['by', 'text'],
)

const subjects = { by: names, of: names, at: time, until } as const
const ofAccountOrList = {
  ...subjects,
  list: { ...text, description: 'Id of a list, instead of `of`.' },
} as const
const reaction = {
  by: names,
  post: { ...text, description: 'Id of a post.' },
  via: { ...text, description: 'Id of a repost, through which the post was found.' },
  at: time,
  until,
} as const

export const worldSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://desktop-pds.example/world.schema.json',
  title: 'A world: the accounts and records of a network for tests',
  type: 'object',
  required: ['accounts'],
  properties: {
    $schema: text,
    start: {
      ...time,
      description:
        'When the world begins, such as -14d. Its end is the present. At the first time of the world by default.',
    },
    accounts,
    inviteCodes: section(
      { id, by: name, uses: { type: 'integer', minimum: 1, description: '1 by default.' }, at: time, until },
      ['id', 'by'],
    ),
    profiles: section({ by: name, at: time, ...profile }, ['by', 'at']),
    follows: section(subjects, ['by', 'of']),
    blocks: section(ofAccountOrList, ['by']),
    mutes: section(ofAccountOrList, ['by']),
    lists: section(
      {
        id,
        by: name,
        name: { ...text, minLength: 1 },
        purpose: { enum: ['curate', 'moderation', 'reference'], description: 'curate by default.' },
        description: text,
        members: { type: 'array', items: name },
        at: time,
      },
      ['id', 'by', 'name'],
    ),
    starterPacks: section(
      { id, by: name, name: { ...text, minLength: 1 }, description: text, list: text, at: time },
      ['id', 'by', 'name', 'list'],
    ),
    verifications: section(
      {
        by: name,
        of: name,
        displayName: { ...text, description: 'That of the profile by default.' },
        at: time,
        until,
      },
      ['by', 'of'],
    ),
    posts,
    likes: section(reaction, ['by', 'post']),
    reposts: section({ id, ...reaction }, ['by', 'post']),
    subscriptions: section(
      {
        ...subjects,
        posts: { type: 'boolean', description: 'true by default.' },
        replies: { type: 'boolean', description: 'false by default.' },
      },
      ['by', 'of'],
    ),
    seen: section({ by: names, at: { ...time, description: 'All notifications until then are seen.' } }, [
      'by',
      'at',
    ]),
    appPasswords: section(
      { by: name, name: { ...text, minLength: 1 }, privileged: { type: 'boolean' }, at: time, until },
      ['by', 'name'],
    ),
    sessions: section(
      {
        by: name,
        appPassword: {
          ...text,
          description: 'Name of the app password that opens it. The password by default.',
        },
        client: { ...text, description: 'User-Agent.' },
        at: time,
      },
      ['by'],
    ),
    codes: section({ to: name, purpose: { enum: ['confirmEmail', 'resetPassword'] }, at: time }, [
      'to',
      'purpose',
    ]),
  },
  additionalProperties: false,
} as const

/** The accounts of a network for tests and what they have done, with names in the place of identifiers. */
export type World = FromSchema<typeof worldSchema>

type Section<Name extends keyof World> =
  NonNullable<World[Name]> extends readonly (infer Item)[] ? Item : never

export type WorldAccount = Section<'accounts'>
export type WorldInviteCode = Section<'inviteCodes'>
export type WorldProfile = Section<'profiles'>
export type WorldList = Section<'lists'>
export type WorldStarterPack = Section<'starterPacks'>
export type WorldVerification = Section<'verifications'>
export type WorldPost = Section<'posts'>
export type WorldAppPassword = Section<'appPasswords'>
export type WorldSession = Section<'sessions'>
export type WorldCode = Section<'codes'>
export type WorldPicture = FromSchema<typeof picture>

function section<
  const Properties extends Readonly<Record<string, Schema>>,
  const Required extends readonly string[],
>(properties: Properties, required: Required) {
  const items = { type: 'object', required, properties, additionalProperties: false } as const
  return { type: 'array', items } as const
}
