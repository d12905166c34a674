// The pages' scripts are joined into one, so a name of one file is used in another: what is not defined, tsc finds.
export default [
  {
    files: ["**/*.js"],
    languageOptions: { ecmaVersion: 2022, sourceType: "script" },
    rules: {
      "array-callback-return": "error",
      "consistent-return": "off",
      "eqeqeq": ["error", "always", { null: "ignore" }],
      "no-cond-assign": "error",
      "no-const-assign": "error",
      "no-dupe-else-if": "error",
      "no-dupe-keys": "error",
      "no-duplicate-case": "error",
      "no-eval": "error",
      "no-fallthrough": "error",
      "no-implied-eval": "error",
      "no-loss-of-precision": "error",
      "no-redeclare": "error",
      "no-self-assign": "error",
      "no-self-compare": "error",
      "no-unreachable": "error",
      "no-unsafe-finally": "error",
      "no-unsafe-optional-chaining": "error",
      "no-unused-expressions": ["error", { allowShortCircuit: true, allowTernary: true }],
      "no-use-before-define": "off",
      "no-var": "error",
      "prefer-const": "error",
      "use-isnan": "error",
      "valid-typeof": "error",
    },
  },
  // The clock, the zone and the language of a page come from one place, which tests set.
  {
    files: ["**/web/**/*.js"],
    ignores: ["**/pages/web/time.js"],
    rules: {
      "no-restricted-globals": ["error", "Date", "Intl"],
      "no-restricted-properties": ["error", ...["Date", "Intl"].flatMap((property) => ["window", "globalThis", "self"].map((object) => ({ object, property, message: "Ask Time for it." })))],
      "no-restricted-syntax": ["error", {
        selector: "MemberExpression[property.name=/^(toLocale.*|localeCompare|languages?|getTimezoneOffset)$/]",
        message: "Ask Time for it.",
      }],
    },
  },
];
