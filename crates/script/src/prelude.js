// What every script finds, and how scripts are run. Nothing here can be seen by scripts but what `globalThis` is given.
// The names `http`, `faker`, `output`, `maestro`, `json` and `relativePoint`, and what they do, are Maestro's.
// eslint-disable-next-line no-unused-expressions -- it is what this file comes to
(native) => {
    "use strict";
    const { ownKeys, deleteProperty, getOwnPropertyDescriptor, defineProperty } = Reflect;
    const { stringify, parse } = JSON;
    const { entries, keys } = Object;
    // eslint-disable-next-line no-eval -- scripts are what this is for
    const evaluate = globalThis.eval;
    const text = String;
    const longest = native.longest;

    // A value as texts show it: numbers and truth values as JavaScript prints them, the rest as JSON.
    const plain = (value) => {
        if (value === null || typeof value !== "object" || value instanceof Error) return text(value);
        let json;
        try {
            json = stringify(value);
        } catch {
            // A circle.
        }
        if (json === undefined) return text(value);
        return json.startsWith('"') ? parse(json) : json;
    };
    const show = (value) => {
        const shown = plain(value);
        if (shown.length > longest) {
            throw new RangeError("the text is longer than 1 MB, the most that `${…}` may make");
        }
        return shown.toWellFormed();
    };

    const log = (...values) => native.log(values.map(plain).join(" ").toWellFormed());
    globalThis.console = { log, info: log, warn: log, error: log, debug: log };
    globalThis.print = log;

    // What a job throws is else lost: as a promise's it fails the command.
    const { apply } = Reflect;
    const then = Promise.prototype.then;
    const settled = Promise.resolve();
    globalThis.queueMicrotask = (task) => {
        if (typeof task !== "function") throw new TypeError("queueMicrotask takes a function");
        apply(then, settled, [() => void task()]);
    };

    // There is no data of locales here. An answer in the wrong words or order would pass for a right one.
    const without = (of, names) => {
        for (const name of names) {
            const value = () => {
                throw new Error(`${name} needs data of languages and countries, which scripts do not have here`);
            };
            defineProperty(of.prototype, name, { value, writable: true, configurable: true });
        }
    };
    without(Number, ["toLocaleString"]);
    without(BigInt, ["toLocaleString"]);
    without(Date, ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"]);
    without(String, ["localeCompare"]);
    // Letters have the same other case in all languages but these.
    for (const name of ["toLocaleUpperCase", "toLocaleLowerCase"]) {
        const plain = String.prototype[name];
        const value = function (locales) {
            if (/^(?:az|lt|tr)\b/i.test(text(locales ?? ""))) {
                throw new Error(`${name} does not know the letters of \`${text(locales)}\` here`);
            }
            return apply(plain, this, []);
        };
        defineProperty(String.prototype, name, { value, writable: true, configurable: true });
    }

    globalThis.json = (text) => parse(text);
    globalThis.relativePoint = (x, y) => `${Math.ceil(x * 100)}%,${Math.ceil(y * 100)}%`;
    globalThis.output = {};
    globalThis.maestro = { platform: native.platform };

    const request = (url, method, params) => {
        const headers = entries(params?.headers ?? {}).map((pair) => pair.map(text));
        const form = params?.multipartForm;
        let parts = null;
        if (form) {
            parts = entries(form).map(([name, value]) => {
                if (value?.filePath !== undefined) throw new Error("http: scripts have no files; a form takes texts only");
                return [name, text(value)];
            });
        }
        let body = params?.body ?? null;
        if (body !== null && typeof body !== "string") {
            log("http: `body` is not text, so none is sent; JSON.stringify makes one");
            body = null;
        }
        const answer = native.send(text(method), text(url), headers, body?.toWellFormed() ?? null, parts);
        const [status, received, fields] = answer;
        return { ok: status >= 200 && status < 300, status, body: received, headers: fields };
    };
    globalThis.http = {
        get: (url, params) => request(url, "GET", params),
        post: (url, params) => request(url, "POST", params),
        put: (url, params) => request(url, "PUT", params),
        delete: (url, params) => request(url, "DELETE", params),
        request: (url, params) => request(url, params?.method ?? "GET", params),
    };

    // `faker.name().firstName()`, `faker.numerify('##')`: any name is one, and whoever makes the data knows which there are.
    const named = (of, make) =>
        new Proxy(of, { get: (of, name) => (typeof name === "string" ? make(name) : of[name]) });
    const made = (name, values) => native.fake(name, values.map((value) => text(value).toWellFormed()));
    globalThis.faker = named({}, (group) => (...values) => {
        if (!native.isGroup(group)) return made(group, values);
        return named({}, (name) => (...values) => made(`${group}.${name}`, values));
    });

    // What the names of the environment hide, and what they leave alone.
    const base = new Set(ownKeys(globalThis));
    const lasting = new Set(["http", "faker", "output", "maestro", "json", "relativePoint"]);
    const hidden = new Map();
    const prepare = (env, copied) => {
        if (copied !== null && copied !== undefined) globalThis.maestro.copiedText = copied;
        for (const key of ownKeys(globalThis)) {
            if (!base.has(key)) deleteProperty(globalThis, key);
        }
        for (const [key, was] of hidden) defineProperty(globalThis, key, was);
        hidden.clear();
        for (const key of keys(env)) {
            if (lasting.has(key)) continue;
            if (base.has(key)) {
                const was = getOwnPropertyDescriptor(globalThis, key);
                if (!was?.configurable) continue;
                hidden.set(key, was);
            }
            defineProperty(globalThis, key, { value: env[key], writable: true, enumerable: true, configurable: true });
        }
    };

    // A name that nobody defined is `undefined`, no error.
    Object.setPrototypeOf(globalThis, new Proxy(Object.prototype, { has: () => true }));

    // The first statement makes it strict, the second is what a script without a value comes to.
    const run = (script) => evaluate('"use strict";void 0;' + script);
    return { prepare, run, show };
};
