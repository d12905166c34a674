//! Names of `faker`, and the generators of those that make texts.

use fake::Fake as _;
use fake::RngExt as _;
use fake::faker::{
    address::en as address, company::en as company, creditcard::en as card,
    currency::en as currency, internet::en as internet, job::en as job, lorem::en as lorem,
    name::en as name, phone_number::en as phone,
};
use fake::rand::rngs::StdRng;

use runner_flow::uuid;

/// Groups with the names in each.
pub(super) const GROUPS: [(&str, &[&str]); 16] = [
    (
        "address",
        &[
            "buildingNumber",
            "city",
            "cityName",
            "country",
            "countryCode",
            "fullAddress",
            "latitude",
            "longitude",
            "postcode",
            "secondaryAddress",
            "state",
            "stateAbbr",
            "streetAddress",
            "streetName",
            "timeZone",
            "zipCode",
        ],
    ),
    ("bool", &["bool"]),
    ("color", &["hex", "name"]),
    ("commerce", &["price", "productName"]),
    (
        "company",
        &[
            "bs",
            "buzzword",
            "catchPhrase",
            "industry",
            "name",
            "profession",
            "suffix",
        ],
    ),
    ("currency", &["code", "name"]),
    ("date", &["birthday", "future", "past"]),
    ("finance", &["creditCard"]),
    ("idNumber", &["invalid", "ssnValid", "valid"]),
    (
        "internet",
        &[
            "domainName",
            "domainSuffix",
            "emailAddress",
            "ipV4Address",
            "macAddress",
            "password",
            "safeEmailAddress",
            "url",
            "username",
            "uuid",
        ],
    ),
    ("job", &["field", "position", "seniority", "title"]),
    (
        "lorem",
        &[
            "characters",
            "paragraph",
            "paragraphs",
            "sentence",
            "sentences",
            "word",
            "words",
        ],
    ),
    (
        "name",
        &[
            "firstName",
            "fullName",
            "lastName",
            "name",
            "nameWithMiddle",
            "prefix",
            "suffix",
            "title",
            "username",
        ],
    ),
    (
        "number",
        &[
            "digit",
            "digits",
            "negative",
            "numberBetween",
            "positive",
            "randomDigit",
            "randomDigitNotZero",
            "randomDouble",
            "randomNumber",
        ],
    ),
    ("phoneNumber", &["cellPhone", "phoneNumber"]),
    ("text", &["text"]),
];
/// Names without a group.
pub(super) const UNGROUPED: [&str; 4] = ["bothify", "expression", "letterify", "numerify"];

/// Makes data of the group `address`, by its full name such as `address.city`. `None` if the group has no
/// such name.
pub(super) fn place(name: &str, rng: &mut StdRng) -> Option<String> {
    Some(match name {
        "address.buildingNumber" => address::BuildingNumber().fake_with_rng(rng),
        "address.city" | "address.cityName" => address::CityName().fake_with_rng(rng),
        "address.country" => address::CountryName().fake_with_rng(rng),
        "address.countryCode" => address::CountryCode().fake_with_rng(rng),
        "address.fullAddress" => {
            let street = place("address.streetAddress", rng)?;
            let city = place("address.city", rng)?;
            let state = place("address.stateAbbr", rng)?;
            let code = place("address.zipCode", rng)?;
            format!("{street}, {city}, {state} {code}")
        }
        "address.latitude" => format!("{:.6}", rng.random_range(-90.0..90.0_f64)),
        "address.longitude" => format!("{:.6}", rng.random_range(-180.0..180.0_f64)),
        "address.postcode" | "address.zipCode" => address::ZipCode().fake_with_rng(rng),
        "address.secondaryAddress" => address::SecondaryAddress().fake_with_rng(rng),
        "address.state" => address::StateName().fake_with_rng(rng),
        "address.stateAbbr" => address::StateAbbr().fake_with_rng(rng),
        "address.streetAddress" => {
            let number: String = address::BuildingNumber().fake_with_rng(rng);
            let street: String = address::StreetName().fake_with_rng(rng);
            format!("{number} {street}")
        }
        "address.streetName" => address::StreetName().fake_with_rng(rng),
        "address.timeZone" => address::TimeZone().fake_with_rng(rng),
        _ => return None,
    })
}

/// Makes data of the group `internet`, by its full name such as `internet.url`. Domains and mail
/// addresses are examples that nobody owns; suffixes of domains are real, and IP and MAC addresses may
/// be anyone's. `None` if the group has no such name, and for `internet.password`, which is made
/// elsewhere as it takes arguments.
pub(super) fn web(name: &str, rng: &mut StdRng) -> Option<String> {
    Some(match name {
        "internet.domainName" => {
            let word: String = lorem::Word().fake_with_rng(rng);
            format!("{word}.example.com")
        }
        "internet.domainSuffix" => internet::DomainSuffix().fake_with_rng(rng),
        "internet.emailAddress" | "internet.safeEmailAddress" => {
            internet::SafeEmail().fake_with_rng(rng)
        }
        "internet.ipV4Address" => {
            let bytes: [u8; 4] = rng.random();
            std::net::Ipv4Addr::from(bytes).to_string()
        }
        "internet.macAddress" => {
            let bytes: [u8; 6] = rng.random();
            bytes.map(|byte| format!("{byte:02x}")).join(":")
        }
        "internet.url" => format!("https://{}", web("internet.domainName", rng)?),
        "internet.username" => internet::Username().fake_with_rng(rng),
        "internet.uuid" => uuid(rng.random()),
        _ => return None,
    })
}

/// Makes data of the groups `color`, `commerce`, `company`, `currency`, `finance`, `job`, `name` and
/// `phoneNumber`, by its full name such as `color.hex`. `None` for all other names.
pub(super) fn other(wanted: &str, rng: &mut StdRng) -> Option<String> {
    Some(match wanted {
        "color.hex" => format!("#{:06x}", rng.random_range(0..1 << 24)),
        "color.name" => {
            const COLORS: [&str; 12] = [
                "black",
                "blue",
                "brown",
                "green",
                "grey",
                "orange",
                "pink",
                "purple",
                "red",
                "turquoise",
                "white",
                "yellow",
            ];
            COLORS[rng.random_range(0..COLORS.len())].to_owned()
        }
        "commerce.price" => format!("{:.2}", rng.random_range(0.0..1000.0_f64)),
        "commerce.productName" => {
            let kind: String = company::BsAdj().fake_with_rng(rng);
            let thing: String = company::BsNoun().fake_with_rng(rng);
            format!("{kind} {thing}")
        }
        "company.bs" => company::Bs().fake_with_rng(rng),
        "company.buzzword" => company::Buzzword().fake_with_rng(rng),
        "company.catchPhrase" => company::CatchPhrase().fake_with_rng(rng),
        "company.industry" => company::Industry().fake_with_rng(rng),
        "company.name" => company::CompanyName().fake_with_rng(rng),
        "company.profession" => company::Profession().fake_with_rng(rng),
        "company.suffix" => company::CompanySuffix().fake_with_rng(rng),
        "currency.code" => currency::CurrencyCode().fake_with_rng(rng),
        "currency.name" => currency::CurrencyName().fake_with_rng(rng),
        "finance.creditCard" => card::CreditCardNumber().fake_with_rng(rng),
        "job.field" => job::Field().fake_with_rng(rng),
        "job.position" => job::Position().fake_with_rng(rng),
        "job.seniority" => job::Seniority().fake_with_rng(rng),
        "job.title" => job::Title().fake_with_rng(rng),
        "name.firstName" => name::FirstName().fake_with_rng(rng),
        "name.fullName" | "name.name" => name::Name().fake_with_rng(rng),
        "name.lastName" => name::LastName().fake_with_rng(rng),
        "name.nameWithMiddle" => {
            let (first, middle): (String, String) = (
                name::FirstName().fake_with_rng(rng),
                name::FirstName().fake_with_rng(rng),
            );
            let last: String = name::LastName().fake_with_rng(rng);
            format!("{first} {middle} {last}")
        }
        "name.prefix" | "name.title" => name::Title().fake_with_rng(rng),
        "name.suffix" => name::Suffix().fake_with_rng(rng),
        "name.username" => internet::Username().fake_with_rng(rng),
        "phoneNumber.cellPhone" => phone::CellNumber().fake_with_rng(rng),
        "phoneNumber.phoneNumber" => phone::PhoneNumber().fake_with_rng(rng),
        _ => return None,
    })
}
